import type { AssembledMessages, Caller, ChatMessage, JsonObject, Principal, Source } from '../../kernel';
import type { FunctionDeclaration, RunnableTool } from '../../tools';

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
  /** True where it words the question from the whole conversation itself. */
  readonly rewrites?: boolean;
}

export interface PromptInput {
  readonly messages: readonly ChatMessage[];
  readonly systemPrompt: string;
  readonly template: string;
  /** null when there is no context at all, which differs from an empty one by four newlines. */
  readonly rag: RagContext | null;
  readonly vision: boolean;
  /** What the model may call in this run. */
  readonly functions: readonly FunctionDeclaration[];
  /** What `gather` found, by slot. */
  readonly gathered: ReadonlyMap<string, string>;
}

/** For whom and under what a processor looks something up. */
export interface GatherContext {
  readonly signal: AbortSignal;
  readonly caller: Caller;
  readonly owner: Principal;
}

export interface Gathered {
  /** By slot; a slot without a value becomes empty. */
  readonly values: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

/** Builds the final messages of a classic assistant. */
export interface PromptProcessor {
  readonly definition: ProcessorDefinition;
  /** True where `around` has the question worded from the whole conversation. */
  readonly rewrites?: boolean;
  /** Pure: everything that has to be waited for is in the input. */
  build(input: PromptInput): AssembledMessages;
  /** Looks up what the template's own slots need, while the RAG processor fetches. */
  gather?(context: GatherContext): Promise<Gathered>;
  /** The RAG processor that runs instead of the assistant's: the same one, asked differently. */
  around?(rag: RagProcessor): RagProcessor;
}
