import type { FindOptionsWhere } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity';
import { staleVersion } from '../../kernel';
import { type TenantRow, TenantScope } from './tenant-scope';

export interface VersionedRow extends TenantRow {
  /** Counts changes by people, from 1. */
  version: number;
}

export type RowChanges<Row> = Partial<Omit<Row, 'id' | 'organizationId' | 'version'>>;

/** Rows with optimistic locking: a write names the version that it replaces. */
export class VersionedScope<Row extends VersionedRow> extends TenantScope<Row> {
  /** Takes the row lock until the transaction ends. */
  lock(id: string): Promise<Row | null> {
    const where = this.where({ id } as FindOptionsWhere<Row>);
    return this.rows.findOne({ where, lock: { mode: 'pessimistic_write' } });
  }

  /** Writes the next version and returns it. @throws {AppError} `precondition_failed` when `version` is not current */
  async advance({ id, version }: VersionedRow, changes: RowChanges<Row>): Promise<Row> {
    const values = { ...changes, version: version + 1 } as unknown as QueryDeepPartialEntity<Row>;
    const { affected } = await this.rows.update(this.where({ id, version } as FindOptionsWhere<Row>), values);
    const row = affected === 1 ? await this.find(id) : null;
    if (row === null) throw staleVersion();
    return row;
  }

  /** @throws {AppError} `precondition_failed` when `version` is not current */
  async removeVersion({ id, version }: VersionedRow): Promise<void> {
    const { affected } = await this.rows.delete(this.where({ id, version } as FindOptionsWhere<Row>));
    if (affected !== 1) throw staleVersion();
  }
}
