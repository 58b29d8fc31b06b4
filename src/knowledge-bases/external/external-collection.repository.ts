import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import type { Principal } from '../../kernel';
import { ExternalCollectionEntity } from './external-collection.entity';

@Injectable()
export class ExternalCollectionRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The principal's own and shared collections, sorted by id. */
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
