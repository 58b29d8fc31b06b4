import { constructPlugins, type Doubles } from '../platform/plugins';
import { PROMPT_PROCESSOR_PLUGINS, RAG_PROCESSOR_PLUGINS } from './catalog';
import type { PromptProcessor, RagProcessor } from './contract';

export interface Processors {
  readonly prompt: readonly PromptProcessor[];
  readonly rag: readonly RagProcessor[];
}

/** Every processor of the catalogue over the caller's own services. */
export const processorsOver = (doubles: Doubles): Processors => ({
  prompt: constructPlugins<PromptProcessor>(PROMPT_PROCESSOR_PLUGINS, doubles),
  rag: constructPlugins<RagProcessor>(RAG_PROCESSOR_PLUGINS, doubles),
});
