import type { SourceRefresh } from './storage/source.types';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const FIRST_RETRY_MS = 15 * MINUTE_MS;
const INTERVAL_MS: Readonly<Record<SourceRefresh, number | null>> = {
  manual: null,
  daily: DAY_MS,
  weekly: 7 * DAY_MS,
};

/**
 * When a source is fetched again. After failures that may pass: exponential backoff up to the interval. `failures` counts
 * those in a row, 0 after a success or a failure that stays.
 */
export function nextRefresh(refresh: SourceRefresh, failures: number, now: Date): Date | null {
  const interval = INTERVAL_MS[refresh];
  if (interval === null) return null;
  const backoff = failures === 0 ? interval : FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 20);
  return new Date(now.getTime() + Math.min(interval, backoff));
}
