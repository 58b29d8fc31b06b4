import { AppError, isUuid, type Principal, existing } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { KnowledgeBaseEntity } from './knowledge-base.entity';
import { KnowledgeBaseRepository } from './knowledge-base.repository';

/** The owner may do everything. Users it is shared with, and members of an organization that it is shown to, may read. */
@Injectable()
export class KnowledgeBasePermissions {
  constructor(private readonly knowledgeBases: KnowledgeBaseRepository) {}

  /** @throws {AppError} `not_found` when it does not exist or the principal may not read it */
  async readable(principal: Principal, id: string): Promise<KnowledgeBaseEntity> {
    return existing(isUuid(id) ? await this.knowledgeBases.findReadable(principal, id) : null, 'Knowledge base');
  }

  /** @throws {AppError} `not_found`; `forbidden` for a knowledge base that the principal may only read */
  async owned(principal: Principal, id: string): Promise<KnowledgeBaseEntity> {
    const row = await this.readable(principal, id);
    if (row.ownerId !== principal.userId) {
      throw new AppError('forbidden', 'Only its owner may change a knowledge base', {
        reason: 'knowledge_base.owner_only',
      });
    }
    return row;
  }
}
