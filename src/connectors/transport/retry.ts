import { setTimeout as sleep } from 'node:timers/promises';
import type { CallDeadline } from './call-deadline';
import type { ModelCallLimits } from '../contract';
import { failureOfTransport, finalError, type UpstreamFailure } from './upstream-failure';

/**
 * Milliseconds to wait before try `attempt + 1`. Null without a next try: the failure is final, tries or time are used
 * up, or the wait exceeds `maxWaitMs`. `Retry-After` replaces the backoff and is never shortened.
 */
export function retryDelay(
  failure: UpstreamFailure,
  attempt: number,
  limits: ModelCallLimits,
  remainingMs: number,
  random: () => number = Math.random,
): number | null {
  if (!failure.retryable || attempt >= limits.tries) return null;
  const backoff = limits.backoffMs * 2 ** (attempt - 1) * (1 - random() / 4);
  const wait = failure.retryAfterMs ?? backoff;
  return wait > limits.maxWaitMs || wait >= remainingMs ? null : wait;
}

/** Waits before the next try. @throws the failure's `AppError` when there is none */
export async function waitForRetry(
  error: unknown,
  attempt: number,
  limits: ModelCallLimits,
  deadline: CallDeadline,
): Promise<void> {
  const failure = failureOfTransport(error, deadline);
  const budget = Math.min(deadline.remainingMs, limits.plainTotalMs);
  const delay = retryDelay(failure, attempt, limits, budget);
  if (delay === null) throw finalError(failure, attempt);
  try {
    await sleep(delay, undefined, { signal: deadline.signal });
  } catch (aborted) {
    throw failureOfTransport(aborted, deadline).error;
  }
}
