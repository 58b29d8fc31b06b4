import type { ModelAnswer, ModelChunk } from '../../connectors';
import type { AppError, FunctionCall, Source, StampedRunEvent, Usage } from '../../kernel';
import type { RunOutcome } from '../../runs';

/** The events of an answer, in order. The last one is `finished` or `failed`. */
export type AnswerEvent =
  /** Only tools and the model can fail from here on. `model` is the vendor's model name. */
  | { readonly type: 'begun'; readonly model: string }
  /** An event of the run as the caller may see it. */
  | { readonly type: 'progress'; readonly event: StampedRunEvent }
  /** All sources so far, as the caller may see them. Repeated when a function adds sources. */
  | { readonly type: 'sources'; readonly sources: readonly Source[] }
  /** A model request of the tool loop begins. Rounds count from 1; answers without functions have none. */
  | { readonly type: 'round'; readonly round: number }
  /** One socket read of the vendor. `callsFollow`: the round ends here, and functions run next. */
  | { readonly type: 'delta'; readonly chunks: readonly ModelChunk[]; readonly callsFollow: boolean }
  /** A whole model answer, one per round, for completions without `stream`. */
  | { readonly type: 'message'; readonly answer: ModelAnswer }
  /** The round ended with these calls. */
  | { readonly type: 'tool_calls'; readonly round: number; readonly calls: readonly FunctionCall[] }
  /** The report of a verbose completion, instead of a model's answer. */
  | { readonly type: 'report'; readonly markdown: string; readonly model: string }
  /** The model's answer is complete; checks may follow. `usage` is that of the run so far. */
  | { readonly type: 'answered'; readonly usage: Usage | null }
  | { readonly type: 'finished'; readonly record: RunOutcome }
  /** `cause` is the thrown value for the log; `error` is for clients. */
  | { readonly type: 'failed'; readonly record: RunOutcome; readonly error: AppError; readonly cause: unknown };

export type AnswerEnd = Extract<AnswerEvent, { type: 'finished' | 'failed' }>;

export type TellAnswer = (event: AnswerEvent) => void;
