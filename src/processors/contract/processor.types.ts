import type { ChatMessage, JsonObject, Source } from '../../kernel';
import type { RunnableTool } from '../../tools';

/** What the catalogue routes and the web form show of a processor. */
export interface ProcessorDefinition {
  readonly name: string;
  /** Other names that stored assistants carry for it. */
  readonly aliases: readonly string[];
  readonly description: string;
}

/** What a RAG processor found: the text of `{context}` and the sources that are listed behind it. */
export interface RagContext {
  readonly context: string;
  readonly sources: readonly Source[];
}

/** The classic half of an assistant, as its RAG processor reads it. */
export interface RagSettings extends JsonObject {
  readonly collections: readonly string[];
  readonly topK: number;
  readonly rubricId: string | number | null;
  readonly rubricFormat: string;
  readonly filePath: string | null;
}

/**
 * Fetches the content of a classic assistant. It is called like a tool, so that a failure ends as an outcome and its
 * text never reaches the prompt; `config` is the assistant's `RagSettings`.
 */
export interface RagProcessor extends RunnableTool {
  readonly definition: ProcessorDefinition;
  /** False for processors with nothing to fetch: they are not run and leave no trace among the tools. */
  readonly fetches: boolean;
}

export interface PromptInput {
  readonly messages: readonly ChatMessage[];
  readonly systemPrompt: string;
  readonly template: string;
  /** null when there is no context at all, which differs from an empty one by four newlines. */
  readonly rag: RagContext | null;
  readonly vision: boolean;
}

/** Builds the final messages of a classic assistant. Pure. */
export interface PromptProcessor {
  readonly definition: ProcessorDefinition;
  build(input: PromptInput): AssembledMessages;
}

export interface AssembledMessages {
  readonly messages: readonly ChatMessage[];
  /** Parts that are no text and were left out because the assistant has no vision. */
  readonly droppedParts: number;
}
