import { AsyncLocalStorage } from 'node:async_hooks';
import type { Transaction } from '../postgres';

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
