import type { Transaction } from '../../postgres';

/** One organization, within one transaction. */
export interface ImportScope {
  readonly organizationId: string;
  readonly tx: Transaction;
}

export interface ImportRow<T> {
  readonly id: string;
  readonly value: T;
  /** Times at the source, for kinds that keep them. */
  readonly createdAt?: Date | null;
  readonly updatedAt?: Date | null;
}

/**
 * Rows of one kind that an import creates and updates. A value holds what the source decides and nothing else: a value
 * that was written reads back as an equal one. The caller writes the audit.
 */
export interface ImportTarget<T> {
  /** Unique within the organization, e.g. owner and name. */
  keyOf(value: T): string;
  /** Ids of all stored rows of the organization, by key. */
  keys(scope: ImportScope): Promise<ReadonlyMap<string, string>>;
  /** Stored values by id; deleted rows are missing. */
  find(scope: ImportScope, ids: readonly string[]): Promise<ReadonlyMap<string, T>>;
  insert(scope: ImportScope, rows: readonly ImportRow<T>[]): Promise<void>;
  /** False when the change is not possible any more. */
  update(scope: ImportScope, row: ImportRow<T>, stored: T): Promise<boolean>;
  /** Parts of a value that are compared with the source; all of it when absent. */
  readonly compared?: (value: T) => unknown;
  /** How many things a value counts for; one when absent. */
  readonly weight?: (value: T) => number;
}
