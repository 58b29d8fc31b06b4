import type { LearnedTime } from './learned-times';

/** A try may take this many times what the longest of the last tries took. */
const GENEROSITY = 4;
/** History never gives a try less than this share of the configured time: then a second try still has the other half. */
const LEAST_SHARE = 0.5;
/** Timeouts shorter than this never count against the server. */
const LEAST_FAIR_MS = 1_000;
/** Share of its time that a tool may lose by waiting for its turn before a timeout no longer counts against the server. */
const NEARLY_ALL = 0.9;

export interface CallTimes {
  /** Milliseconds of the whole call, its waits included. */
  readonly totalMs: number;
  /** Milliseconds of each try but the last, which has all the time that is left; `totalMs` without a learned bound. */
  readonly tryMs: number;
  /** Milliseconds that a try usually takes: a retry with less left is not begun. 0 when unknown, or with `timeout_ms`. */
  readonly usualMs: number;
  /**
   * Milliseconds that a try must have had for its timeout to count against the server. An entry with a short `timeout_ms`
   * must not open the circuit for the others.
   */
  readonly fairMs: number;
}

interface Asked {
  /** The entry's own: a promise that history does not shorten. */
  readonly timeoutMs: number | null;
  /** Configured time of the tool, or the operator's default. */
  readonly baseMs: number;
  readonly learned: LearnedTime | null;
}

export function callTimes({ timeoutMs, baseMs, learned }: Asked): CallTimes {
  const totalMs = timeoutMs ?? baseMs;
  if (learned === null || learned.successes === 0) return { totalMs, tryMs: totalMs, usualMs: 0, fairMs: baseMs / 2 };
  const learnedMs = Math.max(LEAST_SHARE * totalMs, GENEROSITY * learned.longestMs);
  const least = Math.min(LEAST_FAIR_MS, baseMs / 2);
  return {
    totalMs,
    tryMs: timeoutMs === null ? Math.min(totalMs, learnedMs) : totalMs,
    usualMs: timeoutMs === null ? learned.averageSuccessMs : 0,
    fairMs: Math.max(least, Math.min(learned.longestSuccessMs, NEARLY_ALL * baseMs)),
  };
}
