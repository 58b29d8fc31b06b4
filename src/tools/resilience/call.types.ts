import type { BoundedTry, ToolRef } from '../../kernel';
import type { Evidence, Invocation, PipelineTool, PreparedCall, ToolInput } from '../contract';
import type { KeepableCall } from './kept-results';

/** One call to be made. */
export interface ToolCall extends PreparedCall {
  readonly entry: Pick<PipelineTool, 'timeout_ms' | 'retries' | 'cache'>;
  readonly input: ToolInput;
  readonly invocation: Invocation;
  /** Names the call in events. */
  readonly ref: ToolRef;
}

/** Filled in while the call goes on, failed calls included. */
export interface CallTrace {
  /** On the clock of `performance.now()`. */
  readonly startedAt: number;
  retries: number;
  /** The result was kept from an earlier call. */
  cached: boolean;
  /** Milliseconds of the try that succeeded; null while none did. */
  tryMs: number | null;
  /** The last try that history ended before its time; null while it ended none. */
  bounded: BoundedTry | null;
  evidence: Evidence | undefined;
}

export interface StartedCall {
  readonly call: ToolCall;
  readonly retries: number;
  /** On the clock of `performance.now()`. */
  readonly endsAt: number;
  readonly trace: CallTrace;
  /** null where the result is not to be kept. */
  readonly keepable: KeepableCall | null;
}
