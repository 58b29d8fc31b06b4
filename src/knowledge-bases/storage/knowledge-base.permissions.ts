import { Injectable } from '@nestjs/common';
import { AppError, isUuid, notFound, type Principal } from '../../kernel';
import type { KnowledgeBaseEntity } from './knowledge-base.entity';
import { KnowledgeBaseRepository } from './knowledge-base.repository';

/** Who may do what with a knowledge base: its owner everything, those it is shared with or shown to may read. */
@Injectable()
export class KnowledgeBasePermissions {
  constructor(private readonly knowledgeBases: KnowledgeBaseRepository) {}

  /** Throws `not_found` for what the principal may not read, in whatever organization it is. */
  async readable(principal: Principal, id: string): Promise<KnowledgeBaseEntity> {
    const row = isUuid(id) ? await this.knowledgeBases.findReadable(principal, id) : null;
    if (row === null) throw notFound('Knowledge base');
    return row;
  }

  /** Throws `forbidden` only to those who know the knowledge base already. */
  async owned(principal: Principal, id: string): Promise<KnowledgeBaseEntity> {
    const row = await this.readable(principal, id);
    if (row.ownerId !== principal.userId) {
      throw new AppError('forbidden', 'Only its owner may change a knowledge base');
    }
    return row;
  }
}
