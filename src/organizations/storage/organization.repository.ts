import { Injectable } from '@nestjs/common';
import { DataSource, In, MoreThan } from 'typeorm';
import { AcrossOrganizations, acrossOrganizations, type Transaction } from '../../platform/database';
import { OrganizationEntity } from './organization.entity';
import { staleVersion } from '../../kernel';

/** Advisory lock of the first start (`bell` as int4). */
const FOUNDING_LOCK = 0x62656c6c;

type OrganizationChange = Partial<Pick<OrganizationEntity, 'name' | 'suspended' | 'settings'>>;

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
