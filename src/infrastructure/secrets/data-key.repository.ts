import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan, Not } from 'typeorm';
import { AcrossOrganizations, type Transaction } from '../database';
import { DataKeyEntity } from './data-key.entity';

export interface WrappedKey {
  readonly organizationId: string;
  readonly kid: string;
  readonly kek: string;
  readonly wrapped: string;
}

@Injectable()
export class DataKeyRepository {
  constructor(private readonly dataSource: DataSource) {}

  find(organizationId: string, tx?: Transaction): Promise<WrappedKey | null> {
    return this.rows(tx).findOneBy({ organizationId });
  }

  /** The first of two concurrent inserts wins: read the row again afterwards. */
  async insertIfAbsent(key: WrappedKey, tx?: Transaction): Promise<void> {
    await this.rows(tx)
      .createQueryBuilder()
      .insert()
      .values({ ...key })
      .orIgnore()
      .execute();
  }

  /** Keys that `kek` does not wrap, by organization, after the given one. */
  @AcrossOrganizations('secrets')
  notWrappedBy(kek: string, after: string, limit: number): Promise<readonly WrappedKey[]> {
    return this.rows().find({
      where: { kek: Not(kek), organizationId: MoreThan(after) },
      order: { organizationId: 'ASC' },
      take: limit,
    });
  }

  /** False when another process has wrapped it meanwhile. */
  @AcrossOrganizations('secrets')
  async replace(old: WrappedKey, kek: string, wrapped: string): Promise<boolean> {
    const { affected } = await this.rows().update(
      { organizationId: old.organizationId, wrapped: old.wrapped },
      { kek, wrapped, wrappedAt: () => 'now()' },
    );
    return affected === 1;
  }

  /** Number of data keys per operator key. */
  @AcrossOrganizations('secrets')
  async countByKek(): Promise<ReadonlyMap<string, number>> {
    const counts = await this.rows()
      .createQueryBuilder('key')
      .select('key.kek', 'kek')
      .addSelect('count(*)::int', 'count')
      .groupBy('key.kek')
      .getRawMany<{ kek: string; count: number }>();
    return new Map(counts.map(({ kek, count }) => [kek, count]));
  }

  private rows(tx?: Transaction) {
    return (tx ?? this.dataSource.manager).getRepository(DataKeyEntity);
  }
}
