import type { RunnableAssistant } from '../assistants';
import type { ModelAnswer, ModelChunk, ModelRequest } from '../connectors';
import type { AppError, Source, Usage } from '../kernel';
import type { PreparedPrompt, ReportResult, Run, RunBudget } from '../runs';
import type { RoundAnswer } from '../tool-calling';
import type { AssistantAbility, FunctionOutcome, FunctionSet } from '../tools';
import type { ChatRequest } from './chat-request';

/** One completion that goes on: what was asked, and what is known so far. The facts become the run's record, however it ends. */
export interface Completion {
  readonly run: Run;
  /** To be called when the answer has ended, well or not. */
  readonly leave: () => void;
  readonly assistant: RunnableAssistant;
  readonly request: ChatRequest;
  /** True when the caller gets the report instead of the model's answer. */
  readonly wantsReport: boolean;
  /** Values that must not appear in a report. */
  readonly secrets: readonly string[];
  /** 0 for what a caller asked for; 1 for what an assistant asked for on his behalf: no functions, no assistants. */
  readonly depth: number;
  /** Shared with every run that this one starts. */
  readonly budget: RunBudget;
  /** Lets tools and functions call other assistants; null inside a nested run. Made when it is first looked at. */
  readonly assistants: AssistantAbility | null;
  readonly facts: CompletionFacts;
}

export interface CompletionFacts {
  connector: string | null;
  model: string | null;
  prepared: PreparedPrompt | null;
  /** Monotonic milliseconds since the run was opened. */
  preparedMs: number | null;
  firstTokenMs: number | null;
  finishReason: string | null;
  /** Of all model requests of the run together, those of its tools included. */
  usage: Usage | null;
  readonly warnings: string[];
  /** What the model may call; null before it is known, and for assistants without functions. */
  functions: FunctionSet | null;
  /** Functions that the model called, in order. */
  readonly calls: FunctionOutcome[];
  /** Of the functions; each once, numbered behind those of the prompt. */
  readonly callSources: Source[];
  /** What looked at the finished answer. */
  readonly checks: ReportResult[];
}

/** Every source of the run so far: the prompt's, then the functions'. */
export const sourcesOf = ({ prepared, callSources }: CompletionFacts): readonly Source[] =>
  callSources.length === 0 ? (prepared?.sources ?? []) : [...(prepared?.sources ?? []), ...callSources];

/** A model request and whom to send it to, without the messages. */
export interface ModelCall {
  readonly model: string;
  complete(request: ModelRequest): Promise<ModelAnswer>;
  stream(request: ModelRequest): AsyncIterable<readonly ModelChunk[]>;
}

/** How an answer reaches the client: as one JSON body or as a stream. */
export interface AnswerWriter {
  /** Called when nothing but tools and the model can fail any more. */
  begin(model: string): void;
  /** Asks the model and writes, or keeps, its answer. */
  model(call: ModelCall, request: ModelRequest): Promise<void>;
  /**
   * The same where the model may call functions of ours: asks it once, writes, or keeps, what it says, tells nobody of the
   * calls, and ends the answer only if there are none. Adds to the facts' usage.
   */
  round(call: ModelCall, request: ModelRequest): Promise<RoundAnswer>;
  /** Writes, or keeps, a report as if the model had said it. */
  report(markdown: string, model: string): void;
  /** The last bytes of a good answer. */
  end(): void;
  /** Ends the answer with the error; false when nothing was written yet and the error can still be a status. */
  fail(error: AppError): boolean;
}
