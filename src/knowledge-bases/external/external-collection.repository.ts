import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import type { Principal } from '../../kernel';
import type { Transaction } from '../../platform/database';
import { ExternalCollectionEntity } from './external-collection.entity';

const BATCH = 500;

export type ExternalCollectionValues = Readonly<
  Pick<ExternalCollectionEntity, 'collectionId' | 'ownerId' | 'name' | 'shared'>
>;

@Injectable()
export class ExternalCollectionRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Own and shared ones, in the order of their ids. */
  async page(
    { organizationId, userId }: Principal,
    limit: number,
    after: string | null,
  ): Promise<[rows: ExternalCollectionEntity[], total: number]> {
    const visible = () =>
      this.dataSource
        .getRepository(ExternalCollectionEntity)
        .createQueryBuilder('collection')
        .where('collection.organization_id = :organizationId', { organizationId })
        .andWhere('(collection.owner_id = :userId OR collection.shared)', { userId });
    const page = visible().orderBy('collection.collection_id COLLATE "C"', 'ASC').limit(limit);
    if (after !== null) page.andWhere('collection.collection_id COLLATE "C" > :after', { after });
    return [await page.getMany(), await visible().getCount()];
  }

  find(organizationId: string, ids: readonly string[], tx: Transaction): Promise<ExternalCollectionEntity[]> {
    return tx.getRepository(ExternalCollectionEntity).findBy({ organizationId, collectionId: In([...ids]) });
  }

  async ids(organizationId: string, tx: Transaction): Promise<string[]> {
    const select = { organizationId: true, collectionId: true } as const;
    const rows = await tx.getRepository(ExternalCollectionEntity).find({ where: { organizationId }, select });
    return rows.map(({ collectionId }) => collectionId);
  }

  async insert(organizationId: string, rows: readonly ExternalCollectionValues[], tx: Transaction): Promise<void> {
    for (let start = 0; start < rows.length; start += BATCH) {
      const batch = rows.slice(start, start + BATCH).map((row) => ({ ...row, organizationId }));
      await tx.getRepository(ExternalCollectionEntity).insert(batch);
    }
  }

  async update(
    organizationId: string,
    { collectionId, ...values }: ExternalCollectionValues,
    tx: Transaction,
  ): Promise<void> {
    await tx.getRepository(ExternalCollectionEntity).update({ organizationId, collectionId }, values);
  }
}
