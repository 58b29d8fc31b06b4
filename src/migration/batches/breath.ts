import { setImmediate as turn } from 'node:timers/promises';

/** Proofs are computation: between them the process answers requests at least this often. */
const LONGEST_MS = 10;

/** Lets others have their turn when this work has had its own for long enough. */
export class Breath {
  private since = performance.now();

  async take(): Promise<void> {
    if (performance.now() - this.since < LONGEST_MS) return;
    await turn();
    this.since = performance.now();
  }
}
