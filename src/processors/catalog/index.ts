import type { Type } from '@nestjs/common';
import type { PromptProcessor, RagProcessor } from '../contract';
import { ContextAwareAugmentProcessor } from './context-aware-augment/context-aware-augment.processor';
import { ContextAwareRagProcessor } from './context-aware-rag/context-aware-rag.processor';
import { HierarchicalRagProcessor } from './hierarchical-rag/hierarchical-rag.processor';
import { MoodleAugmentProcessor } from './moodle-augment/moodle-augment.processor';
import { NoRagProcessor } from './no-rag/no-rag.processor';
import { RubricRagProcessor } from './rubric-rag/rubric-rag.processor';
import { SimpleAugmentProcessor } from './simple-augment/simple-augment.processor';
import { SimpleRagProcessor } from './simple-rag/simple-rag.processor';
import { SingleFileRagProcessor } from './single-file-rag/single-file-rag.processor';
import { ToolAugmentProcessor } from './tool-augment/tool-augment.processor';

/** Every classic processor, one line each. */
export const PROMPT_PROCESSOR_PLUGINS: readonly Type<PromptProcessor>[] = [
  SimpleAugmentProcessor,
  ToolAugmentProcessor,
  ContextAwareAugmentProcessor,
  MoodleAugmentProcessor,
];
export const RAG_PROCESSOR_PLUGINS: readonly Type<RagProcessor>[] = [
  NoRagProcessor,
  SimpleRagProcessor,
  ContextAwareRagProcessor,
  HierarchicalRagProcessor,
  RubricRagProcessor,
  SingleFileRagProcessor,
];
