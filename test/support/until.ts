import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Milliseconds that a condition may take on a busy machine. The limit is below jest's, so the failure names the line of
 * the condition.
 */
const PATIENCE_MS = 50_000;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;

/** A look costs more than most of what it waits for: after a long wait, the next look may be later, too. */
const pauseAfter = (waitedMs: number): number => Math.min(Math.max(FIRST_PAUSE_MS, waitedMs / 8), LONGEST_PAUSE_MS);

/** Polls `probe` until it returns something truthy, and returns that. */
export async function until<T>(probe: () => T | Promise<T>, limitMs = PATIENCE_MS): Promise<NonNullable<T>> {
  for (const start = performance.now(); ; await sleep(pauseAfter(performance.now() - start))) {
    const value = await probe();
    if (value) return value;
    if (performance.now() - start > limitMs) throw new Error(`The condition did not hold within ${limitMs} ms`);
  }
}
