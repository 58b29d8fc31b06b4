import type { PendingEffects, Transaction } from '../database';

type Values = Readonly<Record<string, unknown>>;

/** Results of one request's transactions by name: of earlier tries and of this one. */
export class RecordedEffects implements PendingEffects {
  private values: Values;
  /** Version 0.1 stored values by position. */
  private readonly unnamed: unknown[];
  private isOpen = true;

  constructor(
    recorded: Values | readonly unknown[],
    private readonly store: (values: Values, tx: Transaction) => Promise<void>,
  ) {
    this.unnamed = Array.isArray(recorded) ? [...(recorded as readonly unknown[])] : [];
    this.values = Array.isArray(recorded) ? {} : (recorded as Values);
  }

  isDone(name: string): boolean {
    return this.isOpen && (Object.hasOwn(this.values, name) || this.unnamed.length > 0);
  }

  async once<T>(name: string, work: (record: (value: T, tx: Transaction) => Promise<void>) => Promise<T>): Promise<T> {
    // The name belongs to one call, so the recorded value has its type.
    if (this.isDone(name)) return this.recorded(name) as T;
    let next = this.values;
    const value = await work(async (value, tx) => {
      // A job that this request woke may outlive it. Its work is no effect of the request.
      if (!this.isOpen || value === undefined || value === null || value === false) return;
      next = { ...this.values, [name]: value };
      await this.store(next, tx);
    });
    this.values = next;
    return value;
  }

  private recorded(name: string): unknown {
    if (!Object.hasOwn(this.values, name)) this.values = { ...this.values, [name]: this.unnamed.shift() };
    return this.values[name];
  }

  close(): void {
    this.isOpen = false;
  }
}
