import { Injectable } from '@nestjs/common';
import { DataSource, In, MoreThan } from 'typeorm';
import type { Transaction } from '../platform/database';
import { OrganizationEntity } from './organization.entity';
import type { OrganizationSettings } from './settings.types';

/** Taken by whoever founds the first organization ('bell' as int4); any fixed number nobody else locks would do. */
const FOUNDING_LOCK = 0x62656c6c;

@Injectable()
export class OrganizationRepository {
  constructor(private readonly dataSource: DataSource) {}

  findById(id: string, tx?: Transaction): Promise<OrganizationEntity | null> {
    return this.rows(tx).findOneBy({ id });
  }

  findBySlug(slug: string, tx?: Transaction): Promise<OrganizationEntity | null> {
    return this.rows(tx).findOneBy({ slug });
  }

  findAll(ids: readonly string[]): Promise<OrganizationEntity[]> {
    return this.rows().findBy({ id: In([...ids]) });
  }

  async suspend(id: string, suspended: boolean, tx: Transaction): Promise<void> {
    await this.rows(tx).update({ id }, { suspended });
  }

  findSystem(tx?: Transaction): Promise<OrganizationEntity | null> {
    return this.rows(tx).findOneBy({ isSystem: true });
  }

  /** Locks the row until the transaction ends, so that changes to it and to its members come one after another. */
  lock(id: string, tx: Transaction): Promise<OrganizationEntity | null> {
    return this.rows(tx).findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Until the transaction ends no other process founds the first organization. */
  async lockFounding(tx: Transaction): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [FOUNDING_LOCK]);
  }

  async insert(values: Pick<OrganizationEntity, 'id' | 'slug' | 'name' | 'isSystem'>, tx: Transaction): Promise<void> {
    await this.rows(tx).insert({ ...values, settings: {} });
  }

  async update(id: string, changes: { name: string; settings: OrganizationSettings }, tx: Transaction): Promise<void> {
    await this.rows(tx)
      .createQueryBuilder()
      .update()
      .set(changes as object)
      .where({ id })
      .execute();
  }

  /** By slug. `id` null lists every organization. */
  async list(id: string | null, limit: number, after: string | null): Promise<[OrganizationEntity[], number]> {
    const only = id === null ? {} : { id };
    const rows = this.rows();
    return Promise.all([
      rows.find({
        where: { ...only, ...(after === null ? {} : { slug: MoreThan(after) }) },
        order: { slug: 'ASC' },
        take: limit,
      }),
      rows.countBy(only),
    ]);
  }

  private rows(tx?: Transaction) {
    return (tx ?? this.dataSource.manager).getRepository(OrganizationEntity);
  }
}
