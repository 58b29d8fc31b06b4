import { COUNT_LIMIT, integerCursor, type Page, pageOf, type PageRequest } from '@bellwether/kernel';
import { type FindOptionsWhere, IsNull, type Repository, type SelectQueryBuilder } from 'typeorm';
import type { Definition } from '../definition';
import type { AssistantEntity } from './assistant.entity';
import { type AssistantShareScope, EDITABLE } from './assistant-share-scope.repository';
import { type AssistantFilter, VisibleAssistants } from './visible-assistants.repository';
import { type RunningRow, runningRows } from './running-rows.repository';
import type { AssistantVersionEntity, VersionReason } from './assistant-version.entity';

/** Switches that make no version. */
export type AssistantFlag = 'publishedToAll' | 'disabled';

/**
 * `$1` assistant, `$2` its newest version. A newest version that equals the live one becomes live: answers
 * stay the same, and no change is left to publish.
 */
const FOLLOW = `
  UPDATE assistants SET live_version = version
  WHERE id = $1 AND version = $2 AND live_version <> version AND EXISTS (
    SELECT FROM assistant_versions live JOIN assistant_versions newest
      ON (live.name, live.description, live.system_prompt, live.prompt_template, live.metadata, live.rag_collections,
          live.rag_top_k) =
         (newest.name, newest.description, newest.system_prompt, newest.prompt_template, newest.metadata,
          newest.rag_collections, newest.rag_top_k)
      AND coalesce(newest.collection_ids, '{}') @> coalesce(live.collection_ids, '{}')
    WHERE live.assistant_id = $1 AND live.version = assistants.live_version
      AND newest.assistant_id = $1 AND newest.version = $2)`;

/** `$1` organization, `$2` name. The name that people see is that of the live version. Two parts: each has an index. */
const NAMED = `
  SELECT id FROM assistants WHERE organization_id = $1 AND name = $2 AND deleted_at IS NULL
  UNION
  SELECT assistant.id FROM assistant_versions live JOIN assistants assistant
    ON assistant.id = live.assistant_id AND assistant.live_version = live.version
  WHERE live.organization_id = $1 AND live.name = $2 AND assistant.organization_id = $1 AND assistant.deleted_at IS NULL
  ORDER BY id`;

/** Rows of one organization. Deleted assistants do not exist here. */
export class AssistantScope {
  private readonly visible: VisibleAssistants;

  constructor(
    private readonly organizationId: string,
    private readonly rows: Repository<AssistantEntity>,
    private readonly history: Repository<AssistantVersionEntity>,
    readonly shares: AssistantShareScope,
  ) {
    if (!organizationId) throw new Error('A tenant scope needs an organization');
    this.visible = new VisibleAssistants(rows, organizationId);
  }

  find(id: number): Promise<AssistantEntity | null> {
    return this.rows.findOneBy(this.byId(id));
  }

  /** The rows as people run them. */
  running(rows: readonly AssistantEntity[]): Promise<RunningRow[]> {
    return runningRows(rows, this.history);
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
      liveVersion: null,
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
    await this.rows.query(FOLLOW, [id, expected + 1]);
    return true;
  }

  /** False when nothing was written. */
  async setFlag(id: number, flag: AssistantFlag, value: boolean): Promise<boolean> {
    const where = { ...this.byId(id), ...(flag === 'publishedToAll' ? { published: true } : {}) };
    const { affected } = await this.rows.update(where, { [flag]: value });
    return affected === 1;
  }

  /** null unpublishes, which also withdraws `publishedToAll`. False when it is gone. */
  async publish(id: number, liveVersion: number | null): Promise<boolean> {
    const withdrawn = liveVersion === null ? { publishedToAll: false } : {};
    const { affected } = await this.rows.update(this.byId(id), {
      published: liveVersion !== null,
      liveVersion,
      ...withdrawn,
    });
    if (affected !== 1) return false;
    const row = await this.find(id);
    if (row !== null) await this.rows.query(FOLLOW, [id, row.version]);
    return true;
  }

  /** False when it is gone, or `expected` is not its version. */
  async remove(id: number, expected: number | null): Promise<boolean> {
    const where = { ...this.byId(id), ...(expected === null ? {} : { version: expected }) };
    const { affected } = await this.rows.update(where, {
      deletedAt: new Date(),
      published: false,
      liveVersion: null,
      publishedToAll: false,
    });
    return affected === 1;
  }

  /** Newest first. */
  async page(filter: AssistantFilter, { limit, cursor }: PageRequest): Promise<Page<AssistantEntity>> {
    const total = await this.visible.count(filter, COUNT_LIMIT);
    const found = await this.visible.page(filter, {
      order: 'DESC',
      limit: limit + 1,
      beyond: integerCursor(cursor),
      isCommon: total >= COUNT_LIMIT,
    });
    return { ...pageOf(found, limit, ({ id }) => id), total };
  }

  /** Matches after the id `after`, by id. */
  next(filter: AssistantFilter, after: number, limit: number): Promise<AssistantEntity[]> {
    return this.visible.page(filter, { order: 'ASC', limit, beyond: after });
  }

  async editableBy(userId: string): Promise<number[]> {
    const rows = await this.rows.query<{ id: number }[]>(EDITABLE, [this.organizationId, userId]);
    return rows.map(({ id }) => id);
  }

  /** Names of the owner's assistants that are `name` or begin with it. */
  async namesLike(ownerId: string, name: string): Promise<ReadonlySet<string>> {
    const rows = await this.live()
      .andWhere('assistant.owner_id = :ownerId AND starts_with(assistant.name, :name)', { ownerId, name })
      .select('assistant.name', 'name')
      .getRawMany<{ name: string }>();
    return new Set(rows.map((row) => row.name));
  }

  /** Ids of assistants with this name, in the newest or in the live version. */
  async idsNamed(name: string): Promise<number[]> {
    const rows = await this.rows.query<{ id: number }[]>(NAMED, [this.organizationId, name]);
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
    const { collectionIds = null } = definition;
    await this.history.insert({ ...definition, collectionIds, assistantId, version, organizationId, authorId, reason });
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
}
