import { ConstantBackoff, ExponentialBackoff, type IBackoffFactory } from 'cockatiel';
import type { Config } from '../../platform/config';

const MAX_DELAY_MS = 60_000;
/** A tenth more or less, so that calls that failed together do not come back together. */
const JITTER = 0.1;

/** Waits before the retries of one call: 1 s, 2 s, 4 s as configured, each with jitter. */
export function delaysOf(
  { retryDelayMs, retryBackoff }: Pick<Config['tools'], 'retryDelayMs' | 'retryBackoff'>,
  random: () => number = Math.random,
): () => number {
  let backoff: IBackoffFactory<unknown> =
    retryBackoff === 'fixed'
      ? new ConstantBackoff(retryDelayMs)
      : new ExponentialBackoff<number>({
          initialDelay: retryDelayMs,
          maxDelay: MAX_DELAY_MS,
          exponent: 2,
          generator: (retry = 0, { initialDelay, exponent, maxDelay }) => [
            Math.min(maxDelay, initialDelay * exponent ** retry),
            retry + 1,
          ],
        });
  return () => {
    const next = backoff.next({});
    backoff = next;
    return Math.round(next.duration * (1 - JITTER + 2 * JITTER * random()));
  };
}

/** Milliseconds that the wait before retry `retry` (from 0) takes at most. */
export function longestDelay(
  { retryDelayMs, retryBackoff }: Pick<Config['tools'], 'retryDelayMs' | 'retryBackoff'>,
  retry: number,
): number {
  const delayMs = retryBackoff === 'fixed' ? retryDelayMs : Math.min(MAX_DELAY_MS, retryDelayMs * 2 ** retry);
  return (1 + JITTER) * delayMs;
}
