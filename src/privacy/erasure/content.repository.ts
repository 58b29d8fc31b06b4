import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../../infrastructure/database';
import type { OwnedContent } from './content-plan';
import { CONTENT_TYPES, type ContentType } from './erasure.types';

interface ContentTable {
  /** Text expression of the id. */
  readonly id: string;
  readonly name: string;
  readonly shared: string;
  readonly gone?: string;
  /** Array of texts by which definitions refer to a row. */
  readonly names: string;
  /** Array of JSON texts. */
  readonly definition?: string;
}

const TABLES: Readonly<Record<ContentType, ContentTable>> = {
  assistants: {
    id: 't.id::text',
    name: 't.name',
    shared: `t.published OR EXISTS (SELECT FROM assistant_shares s WHERE s.assistant_id = t.id AND s.user_id <> t.owner_id)
      OR EXISTS (SELECT FROM assistant_group_shares g WHERE g.assistant_id = t.id)`,
    gone: 't.deleted_at IS NOT NULL',
    names: 'ARRAY[t.id::text]',
    definition: `ARRAY[t.metadata, t.rag_collections, coalesce(t.collection_ids::text, '{}')]`,
  },
  knowledge_bases: {
    id: 't.id::text',
    name: 't.name',
    shared: `t.visibility = 'organization' OR
      EXISTS (SELECT FROM knowledge_base_shares s WHERE s.knowledge_base_id = t.id AND s.user_id <> t.owner_id) OR
      EXISTS (SELECT FROM knowledge_base_group_shares g WHERE g.knowledge_base_id = t.id)`,
    gone: 't.deleted_at IS NOT NULL',
    names: `array_remove(ARRAY[t.id::text, t.slug, t.alias, 'external:' || t.alias], NULL)`,
  },
  rubrics: {
    id: 't.id::text',
    name: 't.title',
    shared: `t.visibility = 'organization'`,
    names: 'array_remove(ARRAY[t.id::text, t.rubric_key, t.origin_id::text, t.origin_key], NULL)',
  },
  prompt_templates: { id: 't.id::text', name: 't.name', shared: 't.shared', names: 'ARRAY[]::text[]' },
  external_collections: {
    id: 't.collection_id',
    name: 't.name',
    shared: 't.shared',
    names: `ARRAY[t.collection_id, 'external:' || t.collection_id]`,
  },
  files: { id: 't.id::text', name: 't.name', shared: 'false', names: 'ARRAY[t.id::text, t.name]' },
};

const listSql = (type: ContentType): string => {
  const { id, name, shared, gone = 'false', names, definition = 'NULL::text[]' } = TABLES[type];
  return `SELECT '${type}' AS type, ${id} AS id, ${name} AS name, (${shared}) AS shared, (${gone}) AS gone,
                 ${names} AS names, ${definition} AS definition
          FROM ${type} t WHERE t.organization_id = $1 AND t.owner_id = $2`;
};
const LIST = CONTENT_TYPES.map(listSql).join(' UNION ALL ');

const TAKEN_NAMES = `
  SELECT mine.id::text AS id FROM files mine
  JOIN files theirs ON theirs.organization_id = $1 AND theirs.owner_id = $3 AND theirs.name = mine.name
  WHERE mine.organization_id = $1 AND mine.owner_id = $2 AND theirs.sha256 <> mine.sha256`;

/** Rows of content that people own. Files are moved by `FileOwnership`, their bytes lie in folders of their owners. */
@Injectable()
export class ContentRepository {
  constructor(private readonly dataSource: DataSource) {}

  async owned(organizationId: string, userId: string, tx?: Transaction): Promise<OwnedContent[]> {
    const rows = await (tx ?? this.dataSource.manager).query<(OwnedContent & { definition: string[] | null })[]>(LIST, [
      organizationId,
      userId,
    ]);
    return rows.map(({ definition, ...row }) => (definition === null ? row : { ...row, definition }));
  }

  /** Files whose name the heir uses for a file with other content. */
  async filesWithTakenNames(organizationId: string, userId: string, heirId: string): Promise<ReadonlySet<string>> {
    const rows = await this.dataSource.query<{ id: string }[]>(TAKEN_NAMES, [organizationId, userId, heirId]);
    return new Set(rows.map(({ id }) => id));
  }

  /** Returns the ids that have the new owner now. */
  async handOver(
    type: Exclude<ContentType, 'files'>,
    ids: readonly string[],
    { organizationId, userId, heirId }: { organizationId: string; userId: string; heirId: string },
    tx: Transaction,
  ): Promise<string[]> {
    if (ids.length === 0) return [];
    const sql = `UPDATE ${type} t SET owner_id = $3, updated_at = now()
                 WHERE t.organization_id = $1 AND t.owner_id = $2 AND ${TABLES[type].id} = ANY($4::text[])
                 RETURNING ${TABLES[type].id} AS id`;
    const [rows] = await tx.query<[{ id: string }[], number]>(sql, [organizationId, userId, heirId, ids]);
    await this.dropSharesOfOwner(type, organizationId, heirId, tx);
    return rows.map(({ id }) => id);
  }

  /** Knowledge bases are only marked: their documents leave the search index step by step. */
  async delete(
    type: Exclude<ContentType, 'files'>,
    ids: readonly string[],
    organizationId: string,
    tx: Transaction,
  ): Promise<number> {
    const where = `WHERE t.organization_id = $1 AND ${TABLES[type].id} = ANY($2::text[])`;
    const sql =
      type === 'knowledge_bases'
        ? `UPDATE knowledge_bases t SET deleted_at = coalesce(deleted_at, now()), slug = id::text ${where} AND t.deleted_at IS NULL`
        : `DELETE FROM ${type} t ${where}`;
    const [, affected] = await tx.query<[unknown, number]>(sql, [organizationId, ids]);
    return affected;
  }

  /** An owner needs no share. */
  private async dropSharesOfOwner(type: ContentType, organizationId: string, ownerId: string, tx: Transaction) {
    if (type === 'assistants') {
      await tx.query(
        `DELETE FROM assistant_shares s USING assistants t
         WHERE t.id = s.assistant_id AND t.owner_id = $2 AND s.user_id = $2 AND t.organization_id = $1`,
        [organizationId, ownerId],
      );
    }
    if (type === 'knowledge_bases') {
      await tx.query(
        `DELETE FROM knowledge_base_shares s USING knowledge_bases t
         WHERE t.id = s.knowledge_base_id AND t.owner_id = $2 AND s.user_id = $2 AND t.organization_id = $1`,
        [organizationId, ownerId],
      );
    }
  }
}
