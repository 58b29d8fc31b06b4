import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../postgres';
import { pendingEffects } from './pending-effects';

@Injectable()
export class Transactions {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Commits when `work` resolves, rolls back when it rejects. Use only the given transaction inside, and await nothing
   * slow: on the embedded engine all others wait.
   */
  run<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(work);
  }

  /** True when an earlier try of this request has committed the `once` of this name. */
  isDone(name: string): boolean {
    return pendingEffects.getStore()?.isDone(name) ?? false;
  }

  /**
   * Like `run`, but at most once per idempotency key and name. A repeated request gets the committed value without
   * running `work`. The value must survive JSON and hold the ids that `work` makes. `undefined`, `null` and `false` are
   * not kept. A request uses each name for one effect.
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
