import { Injectable } from '@nestjs/common';
import { DataSource, type FindOptionsWhere, In, IsNull, type Repository, type SelectQueryBuilder } from 'typeorm';
import { decodeCursor, encodeCursor, invalid, type Page, type PageRequest } from '../../kernel';
import type { Transaction } from '../../platform/database';
import type { AssistantType } from '../assistant.types';
import { AssistantEntity } from './assistant.entity';
import { AssistantShareEntity } from './assistant-share.entity';
import { AssistantVersionEntity, type VersionReason } from './assistant-version.entity';

/** What the owner writes; a version keeps exactly this. */
export type Definition = Pick<
  AssistantEntity,
  'type' | 'name' | 'description' | 'systemPrompt' | 'promptTemplate' | 'metadata' | 'ragCollections' | 'ragTopK'
>;

export interface AssistantFilter {
  /** null sees every assistant of the organization; a user sees own, shared and published ones. */
  readonly visibleTo: string | null;
  /** When set, no others are seen. */
  readonly onlyIds: readonly number[] | null;
  readonly ownerId?: string;
  readonly type?: AssistantType;
  /** Part of name or description. */
  readonly text?: string;
}

/** Rows of one organization. Deleted assistants do not exist here. */
@Injectable()
export class AssistantRepository {
  constructor(private readonly dataSource: DataSource) {}

  within(organizationId: string, tx?: Transaction): AssistantScope {
    const manager = tx ?? this.dataSource.manager;
    return new AssistantScope(
      organizationId,
      manager.getRepository(AssistantEntity),
      manager.getRepository(AssistantVersionEntity),
      manager.getRepository(AssistantShareEntity),
    );
  }

  /**
   * Rows of any organization, deleted ones included, and who of `userIds` they are shared with. Only for deciding whether
   * one assistant may call another, which judges the organizations itself.
   */
  async forCall(ids: readonly number[], userIds: readonly string[]): Promise<CallRows> {
    const { manager } = this.dataSource;
    const [rows, shares] = await Promise.all([
      manager.getRepository(AssistantEntity).findBy({ id: In([...ids]) }),
      manager.getRepository(AssistantShareEntity).findBy({ assistantId: In([...ids]), userId: In([...userIds]) }),
    ]);
    return { rows, shares };
  }

  /** Organization of a live assistant. For system administrators, who act in every organization. */
  async organizationOf(id: number): Promise<string | null> {
    const row = await this.dataSource.getRepository(AssistantEntity).findOneBy({ id, deletedAt: IsNull() });
    return row?.organizationId ?? null;
  }

  /** Names of live assistants of `ownerId` whose stored metadata mentions the id of another; which of them call it is the caller's to see. */
  mentioning(organizationId: string, ownerId: string, id: number): Promise<AssistantEntity[]> {
    return this.dataSource
      .getRepository(AssistantEntity)
      .createQueryBuilder('assistant')
      .where('assistant.organization_id = :organizationId AND assistant.owner_id = :ownerId', {
        organizationId,
        ownerId,
      })
      .andWhere('assistant.deleted_at IS NULL AND assistant.id <> :id', { id })
      .andWhere('assistant.metadata LIKE :mention', { mention: `%assistant_id%${id}%` })
      .orderBy('assistant.id', 'ASC')
      .getMany();
  }
}

/** Everything that decides about a call from one assistant to another. */
export interface CallRows {
  readonly rows: readonly AssistantEntity[];
  readonly shares: readonly AssistantShareEntity[];
}

export class AssistantScope {
  constructor(
    private readonly organizationId: string,
    private readonly rows: Repository<AssistantEntity>,
    private readonly history: Repository<AssistantVersionEntity>,
    private readonly sharing: Repository<AssistantShareEntity>,
  ) {
    if (!organizationId) throw new Error('A tenant scope needs an organization');
  }

  find(id: number): Promise<AssistantEntity | null> {
    return this.rows.findOneBy(this.live(id));
  }

  async insert(
    ownerId: string,
    definition: Definition,
    authorId: string | null,
    reason: VersionReason,
  ): Promise<AssistantEntity> {
    const row = this.rows.create({
      ...definition,
      ownerId,
      organizationId: this.organizationId,
      published: false,
      publishedToAll: false,
      disabled: false,
      version: 1,
    });
    await this.rows.insert(row);
    await this.keepVersion(row.id, 1, definition, authorId, reason);
    return row;
  }

  /** Writes the next version; false when `expected` is no longer the current one. */
  async replace(
    id: number,
    expected: number,
    definition: Definition,
    authorId: string | null,
    reason: VersionReason,
  ): Promise<boolean> {
    const { affected } = await this.rows.update(
      { ...this.live(id), version: expected },
      { ...definition, version: expected + 1 },
    );
    if (affected !== 1) return false;
    await this.keepVersion(id, expected + 1, definition, authorId, reason);
    return true;
  }

  /** Taking back the publication takes it back everywhere. */
  async publish(id: number, published: boolean): Promise<void> {
    await this.rows.update(this.live(id), published ? { published } : { published, publishedToAll: false });
  }

  /** False when it is not published here. */
  async publishToAll(id: number, publishedToAll: boolean): Promise<boolean> {
    const { affected } = await this.rows.update({ ...this.live(id), published: true }, { publishedToAll });
    return affected === 1;
  }

  async disable(id: number, disabled: boolean): Promise<void> {
    await this.rows.update(this.live(id), { disabled });
  }

  /** False when it is gone, or in another version than `expected`, where one is given. */
  async remove(id: number, expected: number | null): Promise<boolean> {
    const where = { ...this.live(id), ...(expected === null ? {} : { version: expected }) };
    const { affected } = await this.rows.update(where, {
      deletedAt: new Date(),
      published: false,
      publishedToAll: false,
    });
    return affected === 1;
  }

  /** Newest first. */
  async page(filter: AssistantFilter, { limit, cursor }: PageRequest): Promise<Page<AssistantEntity>> {
    const total = await this.visible(filter).getCount();
    const query = this.visible(filter);
    if (cursor !== null) query.andWhere('assistant.id < :before', { before: beforeOf(cursor) });
    const found = await query
      .orderBy('assistant.id', 'DESC')
      .take(limit + 1)
      .getMany();
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return { items, total, next_cursor: found.length > limit && last ? encodeCursor([last.id]) : null };
  }

  /** Every match, by id. */
  all(filter: AssistantFilter): Promise<AssistantEntity[]> {
    return this.visible(filter).orderBy('assistant.id', 'ASC').getMany();
  }

  /** Oldest first. */
  shares(assistantIds: readonly number[]): Promise<AssistantShareEntity[]> {
    if (assistantIds.length === 0) return Promise.resolve([]);
    return this.sharing.find({
      where: { organizationId: this.organizationId, assistantId: In([...assistantIds]) },
      order: { createdAt: 'ASC', userId: 'ASC' },
    });
  }

  async replaceShares(
    assistantId: number,
    shares: readonly Pick<AssistantShareEntity, 'userId' | 'access'>[],
  ): Promise<void> {
    const { organizationId } = this;
    await this.sharing.delete({ organizationId, assistantId });
    if (shares.length === 0) return;
    await this.sharing.insert(shares.map(({ userId, access }) => ({ organizationId, assistantId, userId, access })));
  }

  /** Newest first. */
  async versions(assistantId: number, { limit, cursor }: PageRequest): Promise<Page<AssistantVersionEntity>> {
    const where: FindOptionsWhere<AssistantVersionEntity> = { organizationId: this.organizationId, assistantId };
    const total = await this.history.countBy(where);
    const query = this.history.createQueryBuilder('version').where(where);
    if (cursor !== null) query.andWhere('version.version < :before', { before: beforeOf(cursor) });
    const found = await query
      .orderBy('version.version', 'DESC')
      .take(limit + 1)
      .getMany();
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return { items, total, next_cursor: found.length > limit && last ? encodeCursor([last.version]) : null };
  }

  version(assistantId: number, version: number): Promise<AssistantVersionEntity | null> {
    return this.history.findOneBy({ organizationId: this.organizationId, assistantId, version });
  }

  private async keepVersion(
    assistantId: number,
    version: number,
    definition: Definition,
    authorId: string | null,
    reason: VersionReason,
  ): Promise<void> {
    const { organizationId } = this;
    await this.history.insert({ ...definition, assistantId, version, organizationId, authorId, reason });
  }

  private live(id: number): FindOptionsWhere<AssistantEntity> {
    return { id, organizationId: this.organizationId, deletedAt: IsNull() };
  }

  /** Every condition is joined by AND to the organization's; the one OR is in brackets of its own. */
  private visible(filter: AssistantFilter): SelectQueryBuilder<AssistantEntity> {
    const query = this.rows
      .createQueryBuilder('assistant')
      .where('assistant.organization_id = :organization', { organization: this.organizationId })
      .andWhere('assistant.deleted_at IS NULL');
    if (filter.visibleTo !== null)
      query.andWhere(
        `(assistant.owner_id = :viewer OR assistant.published OR EXISTS (
           SELECT 1 FROM assistant_shares share
           WHERE share.assistant_id = assistant.id AND share.organization_id = :organization AND share.user_id = :viewer))`,
        { viewer: filter.visibleTo },
      );
    if (filter.onlyIds !== null) query.andWhere('assistant.id = ANY(:only)', { only: [...filter.onlyIds] });
    if (filter.ownerId !== undefined) query.andWhere('assistant.owner_id = :owner', { owner: filter.ownerId });
    if (filter.type !== undefined) query.andWhere('assistant.type = :type', { type: filter.type });
    if (filter.text !== undefined)
      query.andWhere('(assistant.name ILIKE :text OR assistant.description ILIKE :text)', {
        text: `%${filter.text.replace(/[\\%_]/g, '\\$&')}%`,
      });
    return query;
  }
}

function beforeOf(cursor: string): number {
  const [before] = decodeCursor(cursor, 1) ?? [];
  if (!Number.isSafeInteger(before)) throw invalid([{ path: 'cursor', message: 'is not a cursor of this list' }]);
  return before as number;
}
