import { setImmediate } from 'node:timers/promises';

/** Proofs are pure computation; the process answers requests at least this often meanwhile. */
const LONGEST_MS = 10;

/** Yields to the event loop when this work has run for long enough. */
export class EventLoopYield {
  private since = performance.now();

  async ifDue(): Promise<void> {
    if (performance.now() - this.since < LONGEST_MS) return;
    await setImmediate();
    this.since = performance.now();
  }
}
