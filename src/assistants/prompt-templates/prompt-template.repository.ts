import { Injectable } from '@nestjs/common';
import { Brackets, DataSource, type Repository, type SelectQueryBuilder } from 'typeorm';
import { decodeCursor, encodeCursor, invalid, isUuid, type Page, type PageRequest } from '../../kernel';
import { type Transaction, VersionedScope } from '../../platform/database';
import type { AssistantType } from '../assistant.types';
import { PromptTemplateEntity } from './prompt-template.entity';

export interface PromptTemplateFilter {
  /** Sees own and shared templates. */
  readonly viewerId: string;
  readonly mine: boolean;
  readonly type?: AssistantType;
  /** Part of name or description. */
  readonly text?: string;
}

@Injectable()
export class PromptTemplateRepository {
  constructor(private readonly dataSource: DataSource) {}

  within(organizationId: string, tx?: Transaction): PromptTemplateScope {
    return new PromptTemplateScope((tx ?? this.dataSource.manager).getRepository(PromptTemplateEntity), organizationId);
  }
}

export class PromptTemplateScope extends VersionedScope<PromptTemplateEntity> {
  constructor(rows: Repository<PromptTemplateEntity>, organizationId: string) {
    super(rows, organizationId);
  }

  /** Newest first. */
  async page(filter: PromptTemplateFilter, { limit, cursor }: PageRequest): Promise<Page<PromptTemplateEntity>> {
    const total = await this.visible(filter).getCount();
    const query = this.visible(filter);
    if (cursor !== null) query.andWhere('template.id < :before', { before: beforeOf(cursor) });
    const found = await query
      .orderBy('template.id', 'DESC')
      .take(limit + 1)
      .getMany();
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return { items, total, next_cursor: found.length > limit && last ? encodeCursor([last.id]) : null };
  }

  private visible({ viewerId, mine, type, text }: PromptTemplateFilter): SelectQueryBuilder<PromptTemplateEntity> {
    const query = this.rows
      .createQueryBuilder('template')
      .where('template.organization_id = :organization', { organization: this.organizationId })
      .andWhere(
        new Brackets((either) => {
          either.where('template.owner_id = :viewer', { viewer: viewerId });
          if (!mine) either.orWhere('template.shared');
        }),
      );
    if (type !== undefined) query.andWhere('template.type = :type', { type });
    if (text !== undefined)
      query.andWhere('(template.name ILIKE :text OR template.description ILIKE :text)', {
        text: `%${text.replace(/[\\%_]/g, '\\$&')}%`,
      });
    return query;
  }
}

function beforeOf(cursor: string): string {
  const [before] = decodeCursor(cursor, 1) ?? [];
  if (typeof before !== 'string' || !isUuid(before))
    throw invalid([{ path: 'cursor', message: 'is not a cursor of this list' }]);
  return before;
}
