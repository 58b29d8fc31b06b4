import { type PageRequest, type Principal, pageOf, textCursor } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { TableImport } from '../infrastructure/database';
import type { ExternalCollectionPageDto } from './knowledge-base.dto';
import { ExternalCollectionEntity } from './external-collection.entity';
import { ExternalCollectionRepository } from './external-collection.repository';

/** A collection of an external server in the list of another installation. */
export type ImportedCollection = Readonly<
  Pick<ExternalCollectionEntity, 'collectionId' | 'ownerId' | 'name' | 'shared'>
>;

@Injectable()
export class CollectionImport extends TableImport<ExternalCollectionEntity, ImportedCollection> {
  constructor() {
    super({
      entity: ExternalCollectionEntity,
      idColumn: 'collectionId',
      keyColumns: ['collectionId'],
      toRow: (value) => value,
      toValue: ({ collectionId, ownerId, name, shared }) => ({ collectionId, ownerId, name, shared }),
    });
  }
}

/** Lists the known collections of an external server. Access to their passages is the server's decision. */
@Injectable()
export class ExternalCollectionsService {
  constructor(private readonly collections: ExternalCollectionRepository) {}

  async list(principal: Principal, { limit, cursor }: PageRequest): Promise<ExternalCollectionPageDto> {
    const [rows, total] = await this.collections.page(principal, limit + 1, textCursor(cursor));
    const { items, next_cursor } = pageOf(rows, limit, ({ collectionId }) => collectionId);
    const shown = items.map(({ collectionId: id, name, ownerId: owner, shared }) => ({ id, name, owner, shared }));
    return { items: shown, next_cursor, total };
  }
}
