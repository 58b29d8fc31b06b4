import type { Type } from '@nestjs/common';
import type { PromptProcessor, RagProcessor } from '../contract';
import { ContextAwareAugmentProcessor } from './context-aware-augment.processor';
import { ContextAwareRagProcessor } from './context-aware-rag.processor';
import { HierarchicalRagProcessor } from './hierarchical-rag.processor';
import { MoodleAugmentProcessor } from './moodle-augment.processor';
import { NoRagProcessor } from './no-rag.processor';
import { RubricRagProcessor } from './rubric-rag.processor';
import { SimpleAugmentProcessor } from './simple-augment.processor';
import { SimpleRagProcessor } from './simple-rag.processor';
import { SingleFileRagProcessor } from './single-file-rag.processor';
import { ToolAugmentProcessor } from './tool-augment.processor';

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
