import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a condition. */
export async function until(what: () => Promise<boolean> | boolean, limitMs = 10_000): Promise<void> {
  for (const deadline = performance.now() + limitMs; !(await what()); await sleep(10)) {
    if (performance.now() > deadline) throw new Error('waited too long');
  }
}
