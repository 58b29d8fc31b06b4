import type { BoundedTry, ToolRef, Usage } from '../../kernel';
import type { Evidence, Invocation, PipelineTool, PreparedCall, ToolInput } from '../contract';

/** The context of one call, without the parts that only events need. */
export type CallSurroundings = Omit<Invocation, 'texts' | 'step'>;

export interface CallRequest {
  readonly prepared: PreparedCall;
  readonly entry: Pick<PipelineTool, 'timeout_ms' | 'retries' | 'cache'>;
  readonly input: ToolInput;
  readonly invocation: CallSurroundings;
  /** Names the call in events. */
  readonly ref: ToolRef;
  /** On the clock of `performance.now()`. */
  readonly startedAt: number;
}

/** The facts of a call that its outcome, its log line and the statistics tell; failed calls have them too. */
export interface CallTrace {
  readonly startedAt: number;
  readonly evidence: Evidence | undefined;
  readonly retries: number;
  /** The result was kept from an earlier call. */
  readonly cached: boolean;
  /** Milliseconds of the successful try; null without one. */
  readonly tryMs: number | null;
  /** The last try that reached its learned bound; null without one. */
  readonly bounded: BoundedTry | null;
  /** Tokens of failed tries; null without any. */
  readonly spent: Usage | null;
}
