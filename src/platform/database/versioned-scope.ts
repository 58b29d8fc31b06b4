import type { FindOptionsWhere } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity';
import { type TenantRow, TenantScope } from './tenant-scope';

export interface VersionedRow extends TenantRow {
  /** Counts what people changed, from 1. */
  version: number;
}

type Changes<Row> = Partial<Omit<Row, 'id' | 'organizationId' | 'version'>>;

/** Rows that count their changes, so that nobody overwrites what somebody else saved meanwhile. */
export class VersionedScope<Row extends VersionedRow> extends TenantScope<Row> {
  /** As `find`, and nobody else changes it until the transaction ends. */
  lock(id: string): Promise<Row | null> {
    const where = this.where({ id } as FindOptionsWhere<Row>);
    return this.rows.findOne({ where, lock: { mode: 'pessimistic_write' } });
  }

  /** Writes the next version; false when `version` is no longer the current one, or the row is gone. */
  async advance({ id, version }: VersionedRow, changes: Changes<Row>): Promise<boolean> {
    const values = { ...changes, version: version + 1 } as unknown as QueryDeepPartialEntity<Row>;
    const { affected } = await this.rows.update(this.where({ id, version } as FindOptionsWhere<Row>), values);
    return affected === 1;
  }

  /** False as `advance`. */
  async removeVersion({ id, version }: VersionedRow): Promise<boolean> {
    const { affected } = await this.rows.delete(this.where({ id, version } as FindOptionsWhere<Row>));
    return affected === 1;
  }
}
