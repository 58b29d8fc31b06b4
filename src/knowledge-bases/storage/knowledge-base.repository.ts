import { type Principal, isUuid } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThan, Not, type SelectQueryBuilder } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata';
import { type Transaction, VersionedScope, queryPrepared, tenantRepository } from '../../infrastructure/database';
import { GROUP_MEMBERSHIPS } from '../../organizations';
import { KnowledgeBaseGroupShareEntity, KnowledgeBaseShareEntity } from './knowledge-base-share.entity';
import { KnowledgeBaseEntity } from './knowledge-base.entity';

export interface KnowledgeBaseFilter {
  readonly text: string | null;
  readonly ownOnly: boolean;
  readonly limit: number;
  /** Id of the last item of the previous page. */
  readonly after: string | null;
}

/** People and groups that a knowledge base is shared with. */
export interface Readers {
  readonly userIds: readonly string[];
  readonly groupIds: readonly string[];
}

/** Absent groups stay. */
export type NewReaders = Pick<Readers, 'userIds'> & { readonly groupIds: readonly string[] | undefined };

/** Access rule for reading: owner, shared with the user or one of their groups, or shown to the organization. Needs the alias `kb` and `:userId`. */
const MAY_READ = `(kb.owner_id = :userId OR kb.visibility = 'organization' OR EXISTS (
  SELECT FROM knowledge_base_shares share WHERE share.knowledge_base_id = kb.id AND share.user_id = :userId) OR EXISTS (
  SELECT FROM knowledge_base_group_shares share JOIN ${GROUP_MEMBERSHIPS} membership USING (group_id, organization_id)
  WHERE share.knowledge_base_id = kb.id AND share.organization_id = kb.organization_id AND membership.user_id = :userId))`;
/** Names the columns: a prepared statement must not change when a migration adds one. */
const readable = (columns: readonly ColumnMetadata[]): string => `
  SELECT ${columns.map(({ databaseName }) => `kb.${databaseName}`).join(', ')} FROM knowledge_bases kb
  WHERE kb.id = $1 AND kb.organization_id = $2 AND kb.deleted_at IS NULL AND ${MAY_READ.replaceAll(':userId', '$3')}`;

/** Everything that decides what a search finds: the settings and the generation of each document, whose chunks never change. */
const STATES = `
  SELECT kb.id, kb.slug, kb.alias, ${MAY_READ.replaceAll(':userId', '$2')} AS readable,
    md5(jsonb_build_array(kb.name, kb.languages, kb.index_version, kb.vector_index, kb.vector_embedding, kb.embedding, kb.hybrid_weight, kb.rerank)::text) AS settings,
    (SELECT count(*) || ' ' || coalesce(sum(hashtextextended(
        concat_ws(' ', document.id, document.generation, document.filename, document.title), 0)), 0)
      FROM kb_documents document
      WHERE document.knowledge_base_id = kb.id AND document.generation IS NOT NULL) AS documents
  FROM knowledge_bases kb
  WHERE kb.organization_id = $1 AND kb.deleted_at IS NULL AND (kb.id = ANY ($3::uuid[]) OR kb.slug = ANY ($4::text[]) OR kb.alias = ANY ($5::text[]))`;

const WITH_READABLE_PASSAGES = `
  SELECT kb.id FROM knowledge_bases kb
  WHERE kb.organization_id = $1 AND kb.id = ANY ($3::uuid[]) AND kb.deleted_at IS NULL
    AND (kb.passages_shown OR ${MAY_READ.replaceAll(':userId', '$2')})`;

/** Fingerprint of a knowledge base. A search gives the same results while it stays equal. */
export interface KnowledgeBaseState {
  readonly id: string;
  readonly slug: string;
  readonly alias: string | null;
  readonly readable: boolean;
  readonly settings: string;
  readonly documents: string;
}

export class KnowledgeBaseScope extends VersionedScope<KnowledgeBaseEntity> {
  /** Adds a language that passages are indexed in. */
  async addLanguage(id: string, language: string): Promise<void> {
    await this.rows
      .createQueryBuilder()
      .update()
      .set({ languages: () => 'array_append(languages, :language)' })
      .where('id = :id AND organization_id = :organizationId AND NOT languages @> ARRAY[:language]', {
        id,
        organizationId: this.organizationId,
        language,
      })
      .execute();
  }

  /** Removes the languages that no document has any more. */
  async dropUnusedLanguages(id: string): Promise<void> {
    const used = `ARRAY(SELECT l.name FROM unnest(languages) WITH ORDINALITY l (name, place) WHERE EXISTS (
      SELECT FROM kb_documents d WHERE d.knowledge_base_id = knowledge_bases.id AND d.language = l.name) ORDER BY l.place)`;
    await this.rows
      .createQueryBuilder()
      .update()
      .set({ languages: () => used })
      .where('id = :id AND organization_id = :organizationId AND NOT language_chosen AND cardinality(languages) > 1', {
        id,
        organizationId: this.organizationId,
      })
      .execute();
  }

  slugTaken(slug: string): Promise<boolean> {
    return this.rows.existsBy(this.where({ slug }));
  }

  /** The one that an import brought from another server's collection. */
  aliased(alias: string): Promise<KnowledgeBaseEntity | null> {
    return this.rows.findOneBy(this.where({ alias, deletedAt: IsNull() }));
  }

  /** Knowledge bases of the organization with these ids or slugs, or these aliases, readable or not. */
  async named(refs: readonly string[], aliases: readonly string[] = []): Promise<KnowledgeBaseEntity[]> {
    if (refs.length === 0) return [];
    const ids = refs.filter(isUuid);
    const live = { deletedAt: IsNull() };
    return this.rows.find({
      where: [
        this.where({ id: In(ids), ...live }),
        this.where({ slug: In([...refs]), ...live }),
        this.where({ alias: In([...aliases]), ...live }),
      ],
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

  private readable({ userId }: Principal): SelectQueryBuilder<KnowledgeBaseEntity> {
    return this.rows
      .createQueryBuilder('kb')
      .where('kb.organizationId = :organizationId', { organizationId: this.organizationId })
      .andWhere('kb.deletedAt IS NULL')
      .andWhere(MAY_READ, { userId });
  }
}

@Injectable()
export class KnowledgeBaseRepository extends tenantRepository(KnowledgeBaseEntity, () => KnowledgeBaseScope) {
  /** Prepared because every search starts with it, and planning took longer than running it. */
  async findReadable({ organizationId, userId }: Principal, id: string): Promise<KnowledgeBaseEntity | null> {
    const { columns } = this.dataSource.getMetadata(KnowledgeBaseEntity);
    const values = [id, organizationId, userId];
    const [row] = await queryPrepared<Record<string, unknown>>(this.dataSource, readable(columns), values);
    if (row === undefined) return null;
    const entity = new KnowledgeBaseEntity();
    for (const column of columns) {
      const value: unknown = this.dataSource.driver.prepareHydratedValue(row[column.databaseName], column);
      column.setEntityValue(entity, value);
    }
    return entity;
  }

  /** States of the knowledge bases with these ids or slugs, or these aliases, readable or not. */
  states(
    { organizationId, userId }: Principal,
    refs: readonly string[],
    aliases: readonly string[],
  ): Promise<KnowledgeBaseState[]> {
    const values = [organizationId, userId, refs.filter(isUuid), [...refs], [...aliases]];
    return queryPrepared<KnowledgeBaseState & Record<string, unknown>>(this.dataSource, STATES, values);
  }

  /** The `ids` whose passages this person may read: passages are shown to readers of answers, or the person may read all. */
  async withReadablePassages(
    { organizationId, userId }: Principal,
    ids: readonly string[],
  ): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.dataSource.query<{ id: string }[]>(WITH_READABLE_PASSAGES, [organizationId, userId, ids]);
    return new Set(rows.map(({ id }) => id));
  }

  /** Deleted ones of every organization whose documents are not all removed yet. */
  hidden(): Promise<KnowledgeBaseEntity[]> {
    return this.dataSource.manager.findBy(KnowledgeBaseEntity, { deletedAt: Not(IsNull()) });
  }

  /** Knowledge bases of every organization whose index has an older form than `version`. */
  outdated(version: number, limit: number): Promise<KnowledgeBaseEntity[]> {
    return this.dataSource.manager.find(KnowledgeBaseEntity, {
      where: { indexVersion: LessThan(version), deletedAt: IsNull() },
      order: { id: 'ASC' },
      take: limit,
    });
  }

  async sharedWith(organizationId: string, knowledgeBaseId: string): Promise<Readers> {
    const { manager } = this.dataSource;
    const where = { organizationId, knowledgeBaseId };
    const [people, groups] = await Promise.all([
      manager.find(KnowledgeBaseShareEntity, { where, order: { createdAt: 'ASC', userId: 'ASC' } }),
      manager.find(KnowledgeBaseGroupShareEntity, { where, order: { createdAt: 'ASC', groupId: 'ASC' } }),
    ]);
    return { userIds: people.map(({ userId }) => userId), groupIds: groups.map(({ groupId }) => groupId) };
  }

  async share(
    organizationId: string,
    knowledgeBaseId: string,
    { userIds, groupIds }: NewReaders,
    tx: Transaction,
  ): Promise<void> {
    const own = { organizationId, knowledgeBaseId };
    await tx.delete(KnowledgeBaseShareEntity, own);
    if (userIds.length > 0) {
      const rows = userIds.map((userId) => ({ ...own, userId }));
      await tx.insert(KnowledgeBaseShareEntity, rows);
    }
    if (groupIds === undefined) return;
    await tx.delete(KnowledgeBaseGroupShareEntity, own);
    if (groupIds.length > 0) {
      const rows = groupIds.map((groupId) => ({ ...own, groupId }));
      await tx.insert(KnowledgeBaseGroupShareEntity, rows);
    }
  }
}
