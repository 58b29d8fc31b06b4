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
import { batches } from './batches';
import type { ImportRow, ImportScope, ImportTarget } from './import-target.types';

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
