import { Injectable } from '@nestjs/common';
import { DataSource, type FindOptionsWhere, In, IsNull, type Repository, type SelectQueryBuilder } from 'typeorm';
import type { AssistantType, Definition } from '../../definition';
import { integerCursor, type Page, pageOf, type PageRequest } from '../../kernel';
import type { Transaction } from '../../platform/database';
import { AssistantEntity } from './assistant.entity';
import { AssistantShareEntity } from './assistant-share.entity';
import { AssistantVersionEntity, type VersionReason } from './assistant-version.entity';

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

const EDITABLE = `
  SELECT id FROM assistants WHERE organization_id = $1 AND owner_id = $2 AND deleted_at IS NULL
  UNION
  SELECT id FROM assistants JOIN assistant_shares share ON share.assistant_id = id
  WHERE share.organization_id = $1 AND share.user_id = $2 AND share.access = 'edit' AND deleted_at IS NULL`;

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
    const organizations = new Map(rows.map(({ id, organizationId }) => [id, organizationId]));
    // A share counts in the organization of its assistant only.
    const own = shares.filter((share) => organizations.get(share.assistantId) === share.organizationId);
    return { rows, shares: own };
  }

  /** Candidates of all organizations, by id: published everywhere by their own rows, before consents are checked. */
  publishedToAll(id?: number): Promise<AssistantEntity[]> {
    return this.dataSource.getRepository(AssistantEntity).find({
      where: {
        ...(id === undefined ? {} : { id }),
        published: true,
        publishedToAll: true,
        disabled: false,
        deletedAt: IsNull(),
      },
      order: { id: 'ASC' },
    });
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
    // TypeORM's own count is of distinct ids, which sorts all of them.
    const counted = await this.visible(filter).select('count(*)::int', 'total').getRawOne<{ total: number }>();
    const total = counted?.total ?? 0;
    const query = this.visible(filter);
    const before = integerCursor(cursor);
    if (before !== null) query.andWhere('assistant.id < :before', { before });
    const found = await query
      .orderBy('assistant.id', 'DESC')
      .take(limit + 1)
      .getMany();
    return { ...pageOf(found, limit, ({ id }) => id), total };
  }

  /** The next matches after the id `after`, by id. */
  next(filter: AssistantFilter, after: number, limit: number): Promise<AssistantEntity[]> {
    return this.visible(filter)
      .andWhere('assistant.id > :after', { after })
      .orderBy('assistant.id', 'ASC')
      .take(limit)
      .getMany();
  }

  /** Ids of assistants that the user owns or may edit by a share. */
  async editableBy(userId: string): Promise<number[]> {
    const rows = await this.rows.query<{ id: number }[]>(EDITABLE, [this.organizationId, userId]);
    return rows.map(({ id }) => id);
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
    const before = integerCursor(cursor);
    if (before !== null) query.andWhere('version.version < :before', { before });
    const found = await query
      .orderBy('version.version', 'DESC')
      .take(limit + 1)
      .getMany();
    return { ...pageOf(found, limit, ({ version }) => version), total };
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
    const { collectionIds: _ids, ...kept } = definition;
    await this.history.insert({ ...kept, assistantId, version, organizationId, authorId, reason });
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
        // Three indexed conditions: an EXISTS here made the planner read every row of the organization.
        `(assistant.owner_id = :viewer OR assistant.published OR assistant.id = ANY(ARRAY(
           SELECT share.assistant_id FROM assistant_shares share
           WHERE share.organization_id = :organization AND share.user_id = :viewer)))`,
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
