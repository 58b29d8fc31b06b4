import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Milliseconds that a condition may take on a busy machine. The limit is below jest's, so the failure names the line of
 * the condition.
 */
const PATIENCE_MS = 50_000;
const PAUSE_MS = 15;

/** Polls `probe` until it returns something truthy, and returns that. */
export async function until<T>(probe: () => T | Promise<T>, limitMs = PATIENCE_MS): Promise<NonNullable<T>> {
  for (const deadline = performance.now() + limitMs; ; await sleep(PAUSE_MS)) {
    const value = await probe();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`The condition did not hold within ${limitMs} ms`);
  }
}
