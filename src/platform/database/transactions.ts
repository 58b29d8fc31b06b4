import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../postgres';
import { pendingEffects } from './pending-effects';

/** One unit of work over several repositories: all of it or nothing. */
@Injectable()
export class Transactions {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Commits when `work` resolves, rolls back when it rejects. Only the given transaction may be used inside, and nothing
   * slow may be awaited: on the embedded engine everybody else waits meanwhile.
   */
  run<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(work);
  }

  /** True when an earlier try of this request has committed the `once` of this name. */
  isDone(name: string): boolean {
    return pendingEffects.getStore()?.isDone(name) ?? false;
  }

  /**
   * Like `run`, but at most once per idempotency key and name: the value is committed together with the work. A repeated
   * request gets the committed value, and `work` does not run again. The value must survive JSON and hold the ids that
   * `work` makes. `undefined`, `null` and `false` mean that nothing was done and are not kept. A request uses each name
   * for one effect.
   */
  once<T>(name: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const effects = pendingEffects.getStore();
    if (effects === undefined) return this.run(work);
    return effects.once(name, (record) =>
      this.run(async (tx) => {
        const value = await work(tx);
        await record(value, tx);
        return value;
      }),
    );
  }
}
