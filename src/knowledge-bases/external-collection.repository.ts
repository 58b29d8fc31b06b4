import type { Principal } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { ExternalCollectionEntity } from './external-collection.entity';

const NOT_IMPORTED = `NOT EXISTS (SELECT FROM knowledge_bases kb WHERE kb.organization_id = collection.organization_id
  AND kb.alias = collection.collection_id AND kb.deleted_at IS NULL)`;

@Injectable()
export class ExternalCollectionRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The principal's own and shared collections, sorted by id, without those that were imported. */
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
        .andWhere('(collection.owner_id = :userId OR collection.shared)', { userId })
        .andWhere(NOT_IMPORTED);
    const page = visible().orderBy('collection.collection_id COLLATE "C"', 'ASC').limit(limit);
    if (after !== null) page.andWhere('collection.collection_id COLLATE "C" > :after', { after });
    return [await page.getMany(), await visible().getCount()];
  }

  async find(organizationId: string, collectionId: string): Promise<ExternalCollectionEntity | null> {
    return this.dataSource.getRepository(ExternalCollectionEntity).findOneBy({ organizationId, collectionId });
  }

  /** Ids that are missing in the organization's list. None while the list is empty: then it is not kept. */
  async unlisted(organizationId: string, ids: readonly string[]): Promise<string[]> {
    const rows = this.dataSource.getRepository(ExternalCollectionEntity);
    const known = await rows.findBy({ organizationId, collectionId: In([...ids]) });
    const listed = new Set(known.map(({ collectionId }) => collectionId));
    const missing = ids.filter((id) => !listed.has(id));
    const isKept = missing.length > 0 && (listed.size > 0 || (await rows.existsBy({ organizationId })));
    return isKept ? missing : [];
  }
}
