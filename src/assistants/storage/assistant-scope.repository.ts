import { type FindOptionsWhere, In, IsNull, type Repository, type SelectQueryBuilder } from 'typeorm';
import type { AssistantType, Definition } from '../../definition';
import { integerCursor, type Page, pageOf, type PageRequest } from '../../kernel';
import type { AssistantEntity } from './assistant.entity';
import type { AssistantShareEntity } from './assistant-share.entity';
import type { AssistantVersionEntity, VersionReason } from './assistant-version.entity';

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

/** Switches that make no version. */
export type AssistantFlag = 'published' | 'publishedToAll' | 'disabled';

const EDITABLE = `
  SELECT id FROM assistants WHERE organization_id = $1 AND owner_id = $2 AND deleted_at IS NULL
  UNION
  SELECT id FROM assistants JOIN assistant_shares share ON share.assistant_id = id
  WHERE share.organization_id = $1 AND share.user_id = $2 AND share.access = 'edit' AND deleted_at IS NULL`;

/** Rows of one organization. Deleted assistants do not exist here. */
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
    return this.rows.findOneBy(this.byId(id));
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

  /** Writes the next version; false when `expected` is not current. */
  async replace(
    id: number,
    expected: number,
    definition: Definition,
    authorId: string | null,
    reason: VersionReason,
  ): Promise<boolean> {
    const { affected } = await this.rows.update(
      { ...this.byId(id), version: expected },
      { ...definition, version: expected + 1 },
    );
    if (affected !== 1) return false;
    await this.keepVersion(id, expected + 1, definition, authorId, reason);
    return true;
  }

  /** Unpublishing also withdraws `publishedToAll`, which only a published row can have. False when nothing was written. */
  async setFlag(id: number, flag: AssistantFlag, value: boolean): Promise<boolean> {
    const where = { ...this.byId(id), ...(flag === 'publishedToAll' ? { published: true } : {}) };
    const changes = { [flag]: value, ...(flag === 'published' && !value ? { publishedToAll: false } : {}) };
    const { affected } = await this.rows.update(where, changes);
    return affected === 1;
  }

  /** False when it is gone, or `expected` is not its version. */
  async remove(id: number, expected: number | null): Promise<boolean> {
    const where = { ...this.byId(id), ...(expected === null ? {} : { version: expected }) };
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

  /** Matches after the id `after`, by id. */
  next(filter: AssistantFilter, after: number, limit: number): Promise<AssistantEntity[]> {
    return this.visible(filter)
      .andWhere('assistant.id > :after', { after })
      .orderBy('assistant.id', 'ASC')
      .take(limit)
      .getMany();
  }

  async editableBy(userId: string): Promise<number[]> {
    const rows = await this.rows.query<{ id: number }[]>(EDITABLE, [this.organizationId, userId]);
    return rows.map(({ id }) => id);
  }

  /** Other live assistants of one owner whose metadata has the id somewhere after `assistant_id`; callers check the exact place. */
  mentioning(ownerId: string, id: number): Promise<AssistantEntity[]> {
    return this.live()
      .andWhere('assistant.owner_id = :ownerId AND assistant.id <> :id', { ownerId, id })
      .andWhere('assistant.metadata LIKE :mention', { mention: `%assistant_id%${id}%` })
      .orderBy('assistant.id', 'ASC')
      .getMany();
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

  private byId(id: number): FindOptionsWhere<AssistantEntity> {
    return { id, organizationId: this.organizationId, deletedAt: IsNull() };
  }

  private live(): SelectQueryBuilder<AssistantEntity> {
    return this.rows
      .createQueryBuilder('assistant')
      .where('assistant.organization_id = :organization', { organization: this.organizationId })
      .andWhere('assistant.deleted_at IS NULL');
  }

  /** Every condition is joined by AND to the organization's; the only OR has its own brackets. */
  private visible(filter: AssistantFilter): SelectQueryBuilder<AssistantEntity> {
    const query = this.live();
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
