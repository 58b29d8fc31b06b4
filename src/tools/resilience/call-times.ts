import type { Config } from '../../platform/config';
import { totalDelay } from './backoff';
import type { ToolStats } from './tool-counts.types';

/** Calls that a percentile must be made of before it may end one. */
const ENOUGH = 50;
/** A try may take this many times what 99 of 100 took. */
const GENEROSITY = 4;
/** Milliseconds that every try gets, however quick the tool has been: a busy moment is no failure. */
const LEAST_TRY_MS = 1_000;
/** Share of its time that a tool may lose by waiting for its turn before it counts as hurried. */
const NEARLY_ALL = 0.9;

export interface CallTimes {
  /** Milliseconds of the whole call, its waits included. */
  readonly totalMs: number;
  /** Milliseconds of one try; `totalMs` where history says nothing. */
  readonly tryMs: number;
  /** Milliseconds that a try usually takes, 0 where nobody knows: a retry with less than that left is not begun. */
  readonly usualMs: number;
  /**
   * Milliseconds that a try must have had to say something of the other side when it is out of time: what 99 of 100 took,
   * without history half of what the tool may take. An author without patience closes the tool for nobody else.
   */
  readonly fairMs: number;
}

interface Asked {
  /** The entry's own; it is the deadline of the whole call. */
  readonly timeoutMs: number | null;
  /** What the tool or the operator allows otherwise. History only ever shortens it. */
  readonly baseMs: number;
  readonly retries: number;
  readonly stats: ToolStats | null;
  readonly config: Pick<Config['tools'], 'retryDelayMs' | 'retryBackoff'>;
}

export function callTimes({ timeoutMs, baseMs, retries, stats, config }: Asked): CallTimes {
  if (stats === null || stats.timed < ENOUGH || stats.p99_ms === null) {
    const totalMs = timeoutMs ?? baseMs;
    return { totalMs, tryMs: totalMs, usualMs: 0, fairMs: baseMs / 2 };
  }
  const tryMs = Math.max(LEAST_TRY_MS, GENEROSITY * stats.p99_ms);
  const totalMs = timeoutMs ?? Math.min(baseMs, (retries + 1) * tryMs + 1.1 * totalDelay(config, retries));
  // The quickest tool gets a second as well, and the slowest is judged although percentiles are rounded up.
  const fairMs = Math.max(Math.min(LEAST_TRY_MS, baseMs / 2), Math.min(stats.p99_ms, NEARLY_ALL * baseMs));
  return { totalMs, tryMs: Math.min(tryMs, totalMs), usualMs: stats.avg_ms ?? 0, fairMs };
}
