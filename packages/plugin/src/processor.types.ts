import type { AssembledMessages, Caller, ChatMessage, JsonObject, Principal, Source } from '@bellwether/kernel';
import type { RunnableTool } from './compiled-tool.types';
import type { FunctionDeclaration } from './function.types';
import type { DisplayTexts, MaterialSearch } from './tool.types';

/** Settings of a classic assistant: knowledge bases with the number of passages, a rubric with its format, a file. */
export const CLASSIC_SETTINGS = ['collections', 'rubric', 'file'] as const;
export type ClassicSetting = (typeof CLASSIC_SETTINGS)[number];

/** The only declaration of a processor: catalogue, validation, OpenAPI and the form read it. */
export interface ProcessorDefinition {
  readonly name: string;
  /** Other names that stored assistants carry for it. */
  readonly aliases: readonly string[];
  readonly description: string;
  /** A missing language falls back to `name` and `description`. */
  readonly texts?: DisplayTexts;
  /** Settings that it reads: the form shows them, and their references are checked. */
  readonly settings?: readonly ClassicSetting[];
  /** Absent for a processor that searches no material. Not shown by the catalogue routes. */
  readonly material_search?: MaterialSearch;
  /** Slots of the template that it fills: `context` for a RAG processor that fetches; its own for a prompt processor. */
  readonly slots?: readonly string[];
}

/** The result of a RAG processor: the text of `{context}`, and the sources listed after it. */
export interface RagContext {
  readonly context: string;
  readonly sources: readonly Source[];
}

/** The settings of a classic assistant, for its RAG processor. */
export interface RagSettings extends JsonObject {
  readonly collections: readonly string[];
  readonly topK: number;
  readonly rubricId: string | number | null;
  readonly rubricFormat: string;
  readonly filePath: string | null;
}

/**
 * Fetches the content of a classic assistant. The invoker calls it like a tool: a failure becomes an outcome, and its text
 * never reaches the prompt. `config` is the assistant's `RagSettings`.
 */
export interface RagProcessor extends RunnableTool {
  readonly definition: ProcessorDefinition;
  /** True when it rewrites the question with the whole conversation. */
  readonly rewrites?: boolean;
}

/** False for a processor without content: it is not run, and the report lists no tool. */
export const fetches = ({ definition }: Pick<RagProcessor, 'definition'>): boolean =>
  (definition.slots ?? []).includes('context');

export interface PromptInput {
  readonly messages: readonly ChatMessage[];
  readonly systemPrompt: string;
  readonly template: string;
  /** null when there is no context at all, which differs from an empty one by four newlines. */
  readonly rag: RagContext | null;
  readonly vision: boolean;
  /** Functions that the model may call in this run. */
  readonly functions: readonly FunctionDeclaration[];
  /** Values from `gather`, by slot. */
  readonly gathered: ReadonlyMap<string, string>;
}

export interface GatherContext {
  readonly signal: AbortSignal;
  readonly caller: Caller;
  readonly owner: Principal;
}

export interface Gathered {
  /** Values by slot; a slot without a value becomes empty. */
  readonly values: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

/** Builds the final messages of a classic assistant. */
export interface PromptProcessor {
  readonly definition: ProcessorDefinition;
  /** True when `around` rewrites the question with the whole conversation. */
  readonly rewrites?: boolean;
  /** Pure and synchronous. */
  build(input: PromptInput): AssembledMessages;
  /** Looks up the values of its own slots, while the RAG processor fetches. */
  gather?(context: GatherContext): Promise<Gathered>;
  /** Wraps the assistant's RAG processor, for example to ask it another question. */
  around?(rag: RagProcessor): RagProcessor;
}
