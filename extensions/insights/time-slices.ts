import { setImmediate as nextTurn } from 'node:timers/promises';

/** The process answers other requests at least this often. */
const LONGEST_MS = 15;

/** Gives up the event loop when this work has held it for long enough. */
export class TimeSlices {
  private since = performance.now();

  async ifDue(): Promise<void> {
    if (performance.now() - this.since < LONGEST_MS) return;
    await nextTurn();
    this.since = performance.now();
  }
}
