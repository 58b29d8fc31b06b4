import { Injectable } from '@nestjs/common';
import { pageOf, type PageRequest, type Principal, textCursor } from '../../kernel';
import type { ExternalCollectionPageDto } from './external-collection.dto';
import { ExternalCollectionRepository } from './external-collection.repository';

/** What is known of the collections of an external server. Whether a question reaches them is the server's to say. */
@Injectable()
export class ExternalCollectionsService {
  constructor(private readonly collections: ExternalCollectionRepository) {}

  async list(principal: Principal, { limit, cursor }: PageRequest): Promise<ExternalCollectionPageDto> {
    const [rows, total] = await this.collections.page(principal, limit + 1, textCursor(cursor));
    const { items, next_cursor } = pageOf(rows, limit, ({ collectionId }) => collectionId);
    return {
      items: items.map(({ collectionId, name, ownerId, shared }) => ({
        id: collectionId,
        name,
        owner: ownerId,
        shared,
      })),
      next_cursor,
      total,
    };
  }
}
