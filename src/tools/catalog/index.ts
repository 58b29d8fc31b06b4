import type { Type } from '@nestjs/common';
import type { Tool } from '../contract';
import { AssistantTool } from './assistant/assistant.tool';
import { HallucinationDetectorTool } from './hallucination-detector/hallucination-detector.tool';
import { HybridSearchTool } from './hybrid-search/hybrid-search.tool';
import { KeywordSearchTool } from './keyword-search/keyword-search.tool';
import { MoodleUserTool } from './moodle-user/moodle-user.tool';
import { NoRagTool } from './no-rag/no-rag.tool';
import { RubricRagTool } from './rubric-rag/rubric-rag.tool';
import { SimpleRagTool } from './simple-rag/simple-rag.tool';
import { SingleFileRagTool } from './single-file-rag/single-file-rag.tool';
import { SynthesisTool } from './synthesis/synthesis.tool';
import { ValidationTool } from './validation/validation.tool';
import { VectorSearchTool } from './vector-search/vector-search.tool';

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
