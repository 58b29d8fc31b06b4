import { Injectable } from '@nestjs/common';
import { pageOf, type PageRequest, type Principal, textCursor } from '../../kernel';
import type { ExternalCollectionPageDto } from './external-collection.dto';
import { ExternalCollectionRepository } from './external-collection.repository';

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
