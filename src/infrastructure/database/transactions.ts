import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Transaction, isRolledBack } from '../postgres';

/** The committed effects of the request that is being answered. */
export interface PendingEffects {
  /** `once` with this name returns a recorded value. */
  isDone(name: string): boolean;
  /**
   * Returns the value recorded under `name` by an earlier try, or else runs `work`. `work` passes its value to `record`
   * within its transaction.
   */
  once<T>(name: string, work: (record: (value: T, tx: Transaction) => Promise<void>) => Promise<T>): Promise<T>;
}

/** Set while a request with an idempotency key is answered. */
export const pendingEffects = new AsyncLocalStorage<PendingEffects>();

/** Errors of commits without an answer of the server. */
const unanswered = new WeakSet<object>();

/**
 * False when the transaction behind the error was rolled back for sure. True when the connection was lost after the
 * commit was sent: its rows may be there, so nothing that they name may be removed, and nothing may be counted again.
 */
export function mayHaveCommitted(error: unknown): boolean {
  for (let each = error; typeof each === 'object' && each !== null; each = (each as { cause?: unknown }).cause) {
    if (unanswered.has(each)) return true;
  }
  return false;
}

/**
 * Begins a statement that adds to figures: a repetition with the same id adds nothing. `parameter` holds the id; rows are
 * added `WHERE EXISTS (SELECT FROM once)`.
 */
export const addOnce = (parameter: string): string =>
  `WITH once AS (INSERT INTO applied_writes (id) VALUES (${parameter}::uuid) ON CONFLICT DO NOTHING RETURNING id)`;

/** Ids are kept for longer than anything is repeated. */
export const FORGET_APPLIED = `DELETE FROM applied_writes WHERE applied_at < now() - interval '6 hours'`;

@Injectable()
export class Transactions {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Commits when `work` resolves, rolls back when it rejects. Use only the given transaction inside, and await nothing
   * slow: on the embedded engine all others wait.
   */
  async run<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    let isWorkDone = false;
    try {
      return await this.dataSource.transaction(async (tx) => {
        const value = await work(tx);
        isWorkDone = true;
        return value;
      });
    } catch (error) {
      if (isWorkDone && error instanceof Object && !isRolledBack(error)) unanswered.add(error);
      throw error;
    }
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
