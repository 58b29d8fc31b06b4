import { NoRagProcessor } from './no-rag/no-rag.processor';
import { RubricRagProcessor } from './rubric-rag/rubric-rag.processor';
import { SimpleAugmentProcessor } from './simple-augment/simple-augment.processor';
import { SimpleRagProcessor } from './simple-rag/simple-rag.processor';
import { SingleFileRagProcessor } from './single-file-rag/single-file-rag.processor';

/** Every classic processor, one line each. */
export const PROMPT_PROCESSOR_PLUGINS = [SimpleAugmentProcessor] as const;
export const RAG_PROCESSOR_PLUGINS = [
  NoRagProcessor,
  SimpleRagProcessor,
  RubricRagProcessor,
  SingleFileRagProcessor,
] as const;
