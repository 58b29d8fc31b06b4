import { Injectable } from '@nestjs/common';
import { decodeCursor, encodeCursor, invalid, type PageRequest, type Principal } from '../../kernel';
import type { ExternalCollectionPageDto } from './external-collection.dto';
import { ExternalCollectionRepository } from './external-collection.repository';

/** What is known of the collections of an external server. Whether a question reaches them is the server's to say. */
@Injectable()
export class ExternalCollectionsService {
  constructor(private readonly collections: ExternalCollectionRepository) {}

  async list(principal: Principal, { limit, cursor }: PageRequest): Promise<ExternalCollectionPageDto> {
    const after = cursor === null ? null : decodeCursor(cursor, 1)?.[0];
    if (after !== null && typeof after !== 'string') {
      throw invalid([{ path: 'cursor', message: 'is not a cursor of this list' }]);
    }
    const [rows, total] = await this.collections.page(principal, limit + 1, after);
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return {
      items: items.map(({ collectionId, name, ownerId, shared }) => ({
        id: collectionId,
        name,
        owner: ownerId,
        shared,
      })),
      next_cursor: rows.length > limit && last !== undefined ? encodeCursor([last.collectionId]) : null,
      total,
    };
  }
}
