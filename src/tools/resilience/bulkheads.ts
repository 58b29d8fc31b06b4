import { bulkhead, BulkheadRejectedError, type BulkheadPolicy } from 'cockatiel';
import { ToolFailure } from '../contract';

/** Calls of one target at once are this many times those of one run, so that one run alone never waits here. */
const RUNS = 8;
/** Calls that wait for a target, for each that it works on. */
const WAITING = 10;

/** Bounds what one process asks of one host at the same time, whoever asks: a slow one fills its own queue only. */
export class Bulkheads {
  private readonly byTarget = new Map<string, BulkheadPolicy>();
  private readonly capacity: number;

  constructor(parallelLimit: number) {
    this.capacity = RUNS * parallelLimit;
  }

  /** Calls `work` when there is room. Rejects with `tool.unavailable` where the queue is full. */
  async through<T>(target: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    let policy = this.byTarget.get(target);
    if (policy === undefined) {
      policy = bulkhead(this.capacity, this.capacity * WAITING);
      this.byTarget.set(target, policy);
    }
    try {
      return await policy.execute(work, signal);
    } catch (error) {
      if (error instanceof BulkheadRejectedError)
        throw new ToolFailure('tool.unavailable', 'too many calls wait for the same server');
      throw error;
    } finally {
      if (policy.executionSlots === this.capacity && this.byTarget.get(target) === policy) this.byTarget.delete(target);
    }
  }
}
