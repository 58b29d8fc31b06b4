import {
  type DeepPartial,
  type EntityTarget,
  type FindOptionsSelect,
  type FindOptionsWhere,
  In,
  IsNull,
  type ObjectLiteral,
} from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity';
import type { Transaction } from '../postgres';

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
  /**
   * Parts of a value that are compared with the source; all of it when absent. Stored fingerprints hold their names: a
   * member that is renamed is compared under its old one.
   */
  readonly compared?: (value: T) => unknown;
  /** How many things a value counts for; one when absent. */
  readonly weight?: (value: T) => number;
}

/** Slices of at most `size` items, so that one statement stays below PostgreSQL's 65,535 parameters. */
export function* batches<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

const BATCH = 100;

interface ImportTable<Row, T> {
  readonly entity: EntityTarget<Row>;
  readonly idColumn: keyof Row & string;
  readonly keyColumns: readonly (keyof Row & string)[];
  /** Rows with `deletedAt` do not exist. */
  readonly isSoftDeleted?: boolean;
  /** An update advances `version`. */
  readonly isVersioned?: boolean;
  readonly toRow: (value: T) => Partial<Row>;
  readonly toValue: (row: Row) => T;
}

/** Imports into one table. */
export class TableImport<Row extends ObjectLiteral, T> implements ImportTarget<T> {
  constructor(private readonly table: ImportTable<Row, T>) {}

  keyOf(value: T): string {
    return this.keyIn(this.table.toRow(value));
  }

  async keys(scope: ImportScope): Promise<ReadonlyMap<string, string>> {
    const { idColumn, keyColumns } = this.table;
    const columns = Object.fromEntries([idColumn, ...keyColumns].map((column) => [column, true]));
    const rows = await this.rows(scope).find({ where: this.where(scope), select: columns as FindOptionsSelect<Row> });
    return new Map(rows.map((row) => [this.keyIn(row), String(row[idColumn])]));
  }

  async find(scope: ImportScope, ids: readonly string[]): Promise<ReadonlyMap<string, T>> {
    const { idColumn, toValue } = this.table;
    const values = new Map<string, T>();
    for (const batch of batches(ids, BATCH)) {
      const rows = await this.rows(scope).findBy(this.where(scope, { [idColumn]: In([...batch]) }));
      for (const row of rows) values.set(String(row[idColumn]), toValue(row));
    }
    return values;
  }

  async insert(scope: ImportScope, rows: readonly ImportRow<T>[]): Promise<void> {
    const { idColumn, toRow } = this.table;
    const { organizationId } = scope;
    const values = rows.map(({ id, value }): object => ({ ...toRow(value), [idColumn]: id, organizationId }));
    await this.insertRows(scope, values as DeepPartial<Row>[]);
  }

  async update(scope: ImportScope, { id, value }: ImportRow<T>, _stored: T): Promise<boolean> {
    const { idColumn, isVersioned = false, toRow } = this.table;
    const version = isVersioned ? { version: () => 'version + 1' } : {};
    const { affected } = await this.rows(scope)
      .createQueryBuilder()
      .update()
      .set({ ...toRow(value), ...version })
      .where(this.where(scope, { [idColumn]: id }))
      .execute();
    return affected === 1;
  }

  protected async insertRows(scope: ImportScope, rows: readonly DeepPartial<Row>[]): Promise<void> {
    for (const batch of batches(rows, BATCH)) {
      await this.rows(scope)
        .createQueryBuilder()
        .insert()
        .values([...batch] as QueryDeepPartialEntity<Row>[])
        .execute();
    }
  }

  /** Locks the row until the transaction ends; null when it does not exist any more. */
  protected lock(scope: ImportScope, id: string): Promise<Row | null> {
    const where = this.where(scope, { [this.table.idColumn]: id });
    return this.rows(scope).findOne({ where, lock: { mode: 'pessimistic_write' } });
  }

  private rows({ tx }: ImportScope) {
    return tx.getRepository(this.table.entity);
  }

  private where({ organizationId }: ImportScope, more: object = {}): FindOptionsWhere<Row> {
    const deleted = this.table.isSoftDeleted === true ? { deletedAt: IsNull() } : {};
    return { ...more, ...deleted, organizationId } as unknown as FindOptionsWhere<Row>;
  }

  private keyIn(row: Partial<Row>): string {
    return this.table.keyColumns.map((column) => String(row[column])).join(' ');
  }
}
