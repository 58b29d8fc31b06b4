import type { Type } from '@nestjs/common';
import type { Tool } from '../contract';
import { AssistantTool } from './assistant.tool';
import { HallucinationDetectorTool } from './hallucination-detector.tool';
import { HybridSearchTool } from './hybrid-search.tool';
import { KeywordSearchTool } from './keyword-search.tool';
import { MoodleUserTool } from './moodle-user.tool';
import { NoRagTool } from './no-rag.tool';
import { RubricRagTool } from './rubric-rag.tool';
import { SimpleRagTool } from './simple-rag.tool';
import { SingleFileRagTool } from './single-file-rag.tool';
import { SynthesisTool } from './synthesis.tool';
import { ValidationTool } from './validation.tool';
import { VectorSearchTool } from './vector-search.tool';

/** Every tool of the pipeline, one line each. */
export const TOOL_PLUGINS: readonly Type<Tool>[] = [
  SimpleRagTool,
  RubricRagTool,
  SingleFileRagTool,
  NoRagTool,
  AssistantTool,
  MoodleUserTool,
  VectorSearchTool,
  KeywordSearchTool,
  HybridSearchTool,
  SynthesisTool,
  ValidationTool,
  HallucinationDetectorTool,
];
