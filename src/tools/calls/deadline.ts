import { type CallScope, ToolFailure } from '../contract';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface Deadline {
  readonly timeoutMs: number;
  readonly scope: CallScope;
}

/**
 * Runs `work` and settles with it, or rejects with a `ToolFailure` at the deadline or the stop of its scope, whichever is
 * first, even when `work` ignores its signal and never settles. Nothing is left behind: no timer, no entry in the scope.
 * `work` gets the controller, not the signal: Node makes the signal when it is first looked at, and few tools look.
 */
export function withinDeadline<T>(
  work: (controller: AbortController) => T | PromiseLike<T>,
  { timeoutMs, scope }: Deadline,
): Promise<T> {
  const longest = Math.max(1, Math.min(Math.ceil(timeoutMs), LONGEST_TIMER_MS));
  return new Promise<T>((resolve, reject) => {
    if (scope.isStopped) {
      reject(cancelled());
      return;
    }
    const controller = new AbortController();
    const finish = (): void => {
      clearTimeout(timer);
      scope.delete(onStop);
    };
    // Rejects before it aborts: what the tool makes of the abort can no longer change the outcome.
    const end = (failure: ToolFailure): void => {
      finish();
      reject(failure);
      controller.abort(failure);
    };
    const onStop = (): void => end(cancelled());
    const timer = setTimeout(() => end(new ToolFailure('tool.timeout', `no answer within ${longest} ms`)), longest);
    scope.add(onStop);
    const fail = (error: Error): void => {
      finish();
      reject(error);
    };
    try {
      Promise.resolve(work(controller)).then((value) => {
        finish();
        resolve(value);
      }, fail);
    } catch (error) {
      fail(error as Error);
    }
  });
}

/** Resolves after `ms`, or rejects at the stop of its scope; leaves nothing behind either way. */
export function pause(ms: number, scope: CallScope): Promise<void> {
  return new Promise((resolve, reject) => {
    if (scope.isStopped) {
      reject(cancelled());
      return;
    }
    const onStop = (): void => {
      clearTimeout(timer);
      scope.delete(onStop);
      reject(cancelled());
    };
    const timer = setTimeout(() => {
      scope.delete(onStop);
      resolve();
    }, ms);
    scope.add(onStop);
  });
}

const cancelled = (): ToolFailure => new ToolFailure('tool.cancelled', 'cancelled');
