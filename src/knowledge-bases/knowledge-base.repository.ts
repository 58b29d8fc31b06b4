import { Injectable } from '@nestjs/common';
import { Brackets, DataSource, In, IsNull, Not, type SelectQueryBuilder } from 'typeorm';
import { isUuid, type Principal } from '../kernel';
import { TenantScope, type Transaction } from '../platform/database';
import { KnowledgeBaseShareEntity } from './knowledge-base-share.entity';
import { KnowledgeBaseEntity } from './knowledge-base.entity';

export interface KnowledgeBaseFilter {
  readonly text: string | null;
  readonly ownOnly: boolean;
  readonly limit: number;
  /** Id of the last one of the page before. */
  readonly after: string | null;
}

@Injectable()
export class KnowledgeBaseRepository {
  constructor(private readonly dataSource: DataSource) {}

  within(organizationId: string, tx?: Transaction): KnowledgeBaseScope {
    const manager = tx ?? this.dataSource.manager;
    return new KnowledgeBaseScope(manager.getRepository(KnowledgeBaseEntity), organizationId);
  }

  /** Those of every organization that are being taken apart. */
  hidden(): Promise<KnowledgeBaseEntity[]> {
    return this.dataSource.manager.findBy(KnowledgeBaseEntity, { deletedAt: Not(IsNull()) });
  }

  async sharedWith(organizationId: string, knowledgeBaseId: string): Promise<string[]> {
    const rows = await this.dataSource.manager.find(KnowledgeBaseShareEntity, {
      where: { organizationId, knowledgeBaseId },
      order: { createdAt: 'ASC', userId: 'ASC' },
    });
    return rows.map(({ userId }) => userId);
  }

  async share(
    organizationId: string,
    knowledgeBaseId: string,
    userIds: readonly string[],
    tx: Transaction,
  ): Promise<void> {
    await tx.delete(KnowledgeBaseShareEntity, { organizationId, knowledgeBaseId });
    if (userIds.length === 0) return;
    await tx.insert(
      KnowledgeBaseShareEntity,
      userIds.map((userId) => ({ organizationId, knowledgeBaseId, userId })),
    );
  }
}

export class KnowledgeBaseScope extends TenantScope<KnowledgeBaseEntity> {
  slugTaken(slug: string): Promise<boolean> {
    return this.rows.existsBy(this.where({ slug }));
  }

  findReadable(principal: Principal, id: string): Promise<KnowledgeBaseEntity | null> {
    return this.readable(principal).andWhere('kb.id = :id', { id }).getOne();
  }

  /** Those of the references, ids or slugs, that name a knowledge base of the organization, readable or not. */
  async named(refs: readonly string[]): Promise<KnowledgeBaseEntity[]> {
    if (refs.length === 0) return [];
    const ids = refs.filter(isUuid);
    const live = { deletedAt: IsNull() };
    return this.rows.find({
      where: [this.where({ id: In(ids), ...live }), this.where({ slug: In([...refs]), ...live })],
    });
  }

  async readableOf(principal: Principal, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.readable(principal).andWhere('kb.id IN (:...ids)', { ids }).select('kb.id').getMany();
    return new Set(rows.map(({ id }) => id));
  }

  async page(
    principal: Principal,
    { text, ownOnly, limit, after }: KnowledgeBaseFilter,
  ): Promise<[rows: KnowledgeBaseEntity[], total: number]> {
    const filtered = this.readable(principal);
    if (ownOnly) filtered.andWhere('kb.ownerId = :own', { own: principal.userId });
    if (text !== null) filtered.andWhere('strpos(lower(kb.name), lower(:text)) > 0', { text });
    const total = await filtered.getCount();
    if (after !== null) filtered.andWhere('kb.id < :after', { after });
    return [await filtered.orderBy('kb.id', 'DESC').limit(limit).getMany(), total];
  }

  /** The rule of reading: owner, shared with the user, or shown to the organization. */
  private readable({ userId }: Principal): SelectQueryBuilder<KnowledgeBaseEntity> {
    return this.rows
      .createQueryBuilder('kb')
      .where('kb.organizationId = :organizationId', { organizationId: this.organizationId })
      .andWhere('kb.deletedAt IS NULL')
      .andWhere(
        new Brackets((either) =>
          either
            .where('kb.ownerId = :userId', { userId })
            .orWhere('kb.visibility = :open', { open: 'organization' })
            .orWhere(
              `EXISTS (SELECT 1 FROM knowledge_base_shares share
                WHERE share.knowledge_base_id = kb.id AND share.user_id = :userId)`,
            ),
        ),
      );
  }
}
