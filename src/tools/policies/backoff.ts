import type { Config } from '../../infrastructure/config';

const MAX_DELAY_MS = 60_000;
/** A tenth more or less, so that calls that failed together do not return together. */
const JITTER = 0.1;

type BackoffConfig = Pick<Config['tools'], 'retryDelayMs' | 'retryBackoff'>;

/** Milliseconds before retry `retry` (from 0), without jitter. */
const baseDelay = ({ retryDelayMs, retryBackoff }: BackoffConfig, retry: number): number =>
  retryBackoff === 'fixed' ? retryDelayMs : Math.min(MAX_DELAY_MS, retryDelayMs * 2 ** retry);

/** Milliseconds before retry `retry` (from 0), with jitter. */
export const delayBefore = (config: BackoffConfig, retry: number): number =>
  Math.round(baseDelay(config, retry) * (1 - JITTER + 2 * JITTER * Math.random()));

/** The most that `delayBefore` returns. */
export const longestDelay = (config: BackoffConfig, retry: number): number => (1 + JITTER) * baseDelay(config, retry);
