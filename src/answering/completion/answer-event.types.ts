import type { ModelAnswer, ModelChunk } from '../../connectors';
import type { AppError, FunctionCall, Source, StampedRunEvent, Usage } from '../../kernel';
import type { RunOutcome } from '../../runs';

/** Everything that an answer tells on its way, in order. `finished` or `failed` is the last event, and comes once. */
export type AnswerEvent =
  /** Only tools and the model can fail from here on. `model` is the vendor's name of it. */
  | { readonly type: 'begun'; readonly model: string }
  /** An event of the run as the caller may see it. */
  | { readonly type: 'progress'; readonly event: StampedRunEvent }
  /** All sources so far, as the caller may see them; told again when a function adds some. */
  | { readonly type: 'sources'; readonly sources: readonly Source[] }
  /** A model request of the tool loop begins; counts from 1. Answers without functions have no rounds. */
  | { readonly type: 'round'; readonly round: number }
  /** One socket read of the vendor. `callsFollow`: the round ends here, and functions run before the next one. */
  | { readonly type: 'delta'; readonly chunks: readonly ModelChunk[]; readonly callsFollow: boolean }
  /** A whole model answer, for completions without `stream`; one per round. */
  | { readonly type: 'message'; readonly answer: ModelAnswer }
  /** The round ended with calls of these functions. */
  | { readonly type: 'tool_calls'; readonly round: number; readonly calls: readonly FunctionCall[] }
  /** The report that the caller asked for instead of a model's answer. */
  | { readonly type: 'report'; readonly markdown: string; readonly model: string }
  /** The model has said everything; checks of the answer may follow. `usage` counts the run so far. */
  | { readonly type: 'answered'; readonly usage: Usage | null }
  | { readonly type: 'finished'; readonly record: RunOutcome }
  /** `cause` is the thrown value, for the log; `error` is what clients may read. */
  | { readonly type: 'failed'; readonly record: RunOutcome; readonly error: AppError; readonly cause: unknown };

export type TellAnswer = (event: AnswerEvent) => void;
