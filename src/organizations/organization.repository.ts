import { staleVersion } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, In, LessThan, MoreThan } from 'typeorm';
import { AcrossOrganizations, acrossOrganizations, type Transaction } from '../infrastructure/database';
import { type OrganizationEnding, OrganizationEntity } from './organization.entity';

/** Slug of the organization that the first start makes. It is reserved before that. */
export const SYSTEM_SLUG = 'default';

/** Advisory lock of the first start (`bell` as int4). */
const FOUNDING_LOCK = 0x62656c6c;

type OrganizationChange = Partial<
  Pick<OrganizationEntity, 'name' | 'suspended' | 'settings' | 'eraseAfter' | 'ending'>
>;

@Injectable()
export class OrganizationRepository {
  constructor(private readonly dataSource: DataSource) {}

  @AcrossOrganizations('directory')
  findById(id: string, tx?: Transaction): Promise<OrganizationEntity | null> {
    return this.rows(tx).findOneBy({ id });
  }

  @AcrossOrganizations('directory')
  findBySlug(slug: string, tx?: Transaction): Promise<OrganizationEntity | null> {
    return this.rows(tx).findOneBy({ slug });
  }

  @AcrossOrganizations('directory')
  findAll(ids: readonly string[]): Promise<OrganizationEntity[]> {
    return this.rows().findBy({ id: In([...ids]) });
  }

  @AcrossOrganizations('directory')
  findSystem(tx?: Transaction): Promise<OrganizationEntity | null> {
    return this.rows(tx).findOneBy({ isSystem: true });
  }

  /** Whether no other organization may get the slug; before the first start, that includes its own. */
  @AcrossOrganizations('directory')
  async isSlugTaken(slug: string, tx?: Transaction): Promise<boolean> {
    if ((await this.findBySlug(slug, tx)) !== null) return true;
    return slug === SYSTEM_SLUG && (await this.findSystem(tx)) === null;
  }

  /** Locks the row until the transaction ends: serialises changes of the organization and its members. */
  lock(id: string, tx: Transaction): Promise<OrganizationEntity | null> {
    return this.rows(tx).findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Serialises first starts until the transaction ends. */
  async lockFounding(tx: Transaction): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [FOUNDING_LOCK]);
  }

  async insert(values: Pick<OrganizationEntity, 'id' | 'slug' | 'name' | 'isSystem'>, tx: Transaction): Promise<void> {
    await this.rows(tx).insert({ ...values, settings: {} });
  }

  /** Writes and returns the next version. @throws {AppError} `precondition_failed` when `version` is not current */
  async advance(
    { id, version }: Pick<OrganizationEntity, 'id' | 'version'>,
    changes: OrganizationChange,
    tx: Transaction,
  ): Promise<OrganizationEntity> {
    const { affected } = await this.rows(tx)
      .createQueryBuilder()
      .update()
      .set({ ...changes, version: version + 1 } as object)
      .where({ id, version })
      .execute();
    const updated = affected === 1 ? await this.findById(id, tx) : null;
    if (updated === null) throw staleVersion();
    return updated;
  }

  /** Without a new version: only the erasure reads it. */
  async setEnding(id: string, ending: OrganizationEnding, tx: Transaction): Promise<void> {
    await this.rows(tx).update({ id }, { ending });
  }

  @AcrossOrganizations('jobs')
  async endedBefore(time: Date): Promise<string[]> {
    const rows = await this.rows().find({ select: { id: true }, where: { eraseAfter: LessThan(time) } });
    return rows.map(({ id }) => id);
  }

  /** Tables that do not cascade must be empty. The audit's trigger looks at the cascade, also when it finds no entry. */
  async remove(id: string, tx: Transaction): Promise<void> {
    await tx.query(`SELECT set_config('bellwether.audit_change', 'prune', true)`);
    await this.rows(tx).delete({ id });
  }

  /** Sorted by slug. `id` null lists every organization. */
  async list(id: string | null, limit: number, after: string | null): Promise<[OrganizationEntity[], number]> {
    const only = id === null ? {} : { id };
    const rows = this.rows();
    const read = (): Promise<[OrganizationEntity[], number]> =>
      Promise.all([
        rows.find({
          where: { ...only, ...(after === null ? {} : { slug: MoreThan(after) }) },
          order: { slug: 'ASC' },
          take: limit,
        }),
        rows.countBy(only),
      ]);
    return id === null ? acrossOrganizations('system administration', read) : read();
  }

  private rows(tx?: Transaction) {
    return (tx ?? this.dataSource.manager).getRepository(OrganizationEntity);
  }
}
