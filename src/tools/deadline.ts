import { ToolFailure } from './contract';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface Deadline {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Runs `work` and settles with it, or rejects with a `ToolFailure` at the deadline or the abort, whichever is first,
 * even when `work` ignores its signal and never settles. Nothing is left behind: no timer, no listener.
 */
export function withinDeadline<T>(work: (signal: AbortSignal) => T | PromiseLike<T>, deadline: Deadline): Promise<T> {
  const { signal } = deadline;
  const timeoutMs = Math.max(1, Math.min(deadline.timeoutMs, LONGEST_TIMER_MS));
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) {
      reject(cancelled());
      return;
    }
    const own = new AbortController();
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    // Rejects before it aborts: what the tool makes of the abort can no longer change the outcome.
    const stop = (failure: ToolFailure): void => {
      finish();
      reject(failure);
      own.abort(failure);
    };
    const onAbort = (): void => stop(cancelled());
    const timer = setTimeout(
      () => stop(new ToolFailure('tool.timeout', `no answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    signal.addEventListener('abort', onAbort, { once: true });
    const fail = (error: unknown): void => {
      finish();
      reject(error as Error);
    };
    try {
      Promise.resolve(work(own.signal)).then((value) => {
        finish();
        resolve(value);
      }, fail);
    } catch (error) {
      fail(error);
    }
  });
}

const cancelled = (): ToolFailure => new ToolFailure('tool.cancelled', 'cancelled');
