import { type Page, pageOf, type PageRequest, uuidCursor } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { Brackets, type SelectQueryBuilder } from 'typeorm';
import type { AssistantType } from '../definition';
import { VersionedScope, tenantRepository } from '../../infrastructure/database';
import { PromptTemplateEntity } from './prompt-template.entity';

export interface PromptTemplateFilter {
  /** Sees own and shared templates. */
  readonly viewerId: string;
  readonly mine: boolean;
  readonly type?: AssistantType;
  /** Part of name or description. */
  readonly text?: string;
}

export class PromptTemplateScope extends VersionedScope<PromptTemplateEntity> {
  /** Newest first. */
  async page(filter: PromptTemplateFilter, { limit, cursor }: PageRequest): Promise<Page<PromptTemplateEntity>> {
    const total = await this.visible(filter).getCount();
    const query = this.visible(filter);
    const before = uuidCursor(cursor);
    if (before !== null) query.andWhere('template.id < :before', { before });
    const found = await query
      .orderBy('template.id', 'DESC')
      .take(limit + 1)
      .getMany();
    return { ...pageOf(found, limit, ({ id }) => id), total };
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

@Injectable()
export class PromptTemplateRepository extends tenantRepository(PromptTemplateEntity, () => PromptTemplateScope) {}
