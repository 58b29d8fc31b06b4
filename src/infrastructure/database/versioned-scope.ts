import { staleVersion } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, type DeepPartial, type FindOptionsWhere, type ObjectLiteral, type Repository } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity';
import type { Transaction } from '../postgres';

export interface TenantRow {
  id: string;
  organizationId: string;
}

type Values<Row> = Omit<DeepPartial<Row>, 'organizationId'>;

/**
 * The rows of one table that belong to one organization. Repositories hand out scopes only: no query can be written
 * without a tenant.
 */
export class TenantScope<Row extends TenantRow> {
  constructor(
    protected readonly rows: Repository<Row>,
    protected readonly organizationId: string,
  ) {
    if (!organizationId) throw new Error('A tenant scope needs an organization');
  }

  find(id: string): Promise<Row | null> {
    return this.rows.findOneBy(this.where({ id } as FindOptionsWhere<Row>));
  }

  /** Returns the row with the defaults of the database. */
  async insert(values: Values<Row>): Promise<Row> {
    const row = this.rows.create({ ...values, organizationId: this.organizationId } as DeepPartial<Row>);
    await this.rows.insert(row as QueryDeepPartialEntity<Row>);
    return row;
  }

  /** False when the organization has no such row. */
  async update(id: string, changes: Omit<Values<Row>, 'id'>): Promise<boolean> {
    const where = this.where({ id } as FindOptionsWhere<Row>);
    const { affected } = await this.rows.update(where, changes as unknown as QueryDeepPartialEntity<Row>);
    return affected === 1;
  }

  /** False when the organization has no such row. */
  async remove(id: string): Promise<boolean> {
    const { affected } = await this.rows.delete(this.where({ id } as FindOptionsWhere<Row>));
    return affected === 1;
  }

  /** The organization comes last so that no condition can replace it. */
  protected where(conditions: FindOptionsWhere<Row> = {}): FindOptionsWhere<Row> {
    return { ...conditions, organizationId: this.organizationId };
  }
}

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

/** The base of a repository that hands out the rows of one organization, within a transaction or alone. */
export function tenantRepository<Row extends ObjectLiteral, Scope>(
  entity: new () => Row,
  scope: () => new (rows: Repository<Row>, organizationId: string) => Scope,
) {
  @Injectable()
  class TenantRepository {
    constructor(protected readonly dataSource: DataSource) {}

    within(organizationId: string, tx?: Transaction): Scope {
      return new (scope())((tx ?? this.dataSource.manager).getRepository(entity), organizationId);
    }
  }
  return TenantRepository;
}
