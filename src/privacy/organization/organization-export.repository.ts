import type { JsonObject } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { BlobSpace } from '../../files';
import { knowledgeBaseSpace } from '../../knowledge-bases';
import { EXPORTED_BY_CONDITION, EXPORTED_COLUMNS } from './exported-tables';

interface KeyColumn {
  readonly name: string;
  readonly type: string;
}

/** A table with the rows of one organization, in an order that pages can follow. */
export interface ExportedTable {
  readonly table: string;
  readonly condition: string;
  /** Columns that leave. */
  readonly columns: readonly string[];
  /** Columns of the primary key; the row's place for a table without one. */
  readonly key: readonly KeyColumn[];
}

export interface ExportedBlob {
  readonly folder: string;
  readonly name: string;
  readonly storageName: string;
  readonly space: BlobSpace;
}

const TABLES = `
  SELECT c.relname AS "table",
    EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped)
      AS "isOwned",
    ARRAY(SELECT jsonb_build_object('name', a.attname, 'type', format_type(a.atttypid, NULL))
      FROM pg_constraint k JOIN unnest(k.conkey) WITH ORDINALITY u (n, at) ON true
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = u.n
      WHERE k.conrelid = c.oid AND k.contype = 'p' ORDER BY u.at) AS key
  FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`;

const BLOBS = `
  SELECT 'files' AS folder, u.email || '/' || f.name AS name, f.storage_name AS "storageName", f.owner_id AS "ownerId",
    NULL::uuid AS "knowledgeBaseId"
  FROM files f JOIN users u ON u.id = f.owner_id WHERE f.organization_id = $1
  UNION ALL
  SELECT 'documents', kb.slug || '/' || document.filename, document.storage_name, kb.owner_id, kb.id
  FROM knowledge_bases kb JOIN kb_documents document ON document.knowledge_base_id = kb.id
  WHERE kb.organization_id = $1 AND kb.deleted_at IS NULL AND document.deleted_at IS NULL
  ORDER BY 1, 2`;

/** Everything that an organization has, in every table of the database as it describes itself. */
@Injectable()
export class OrganizationExportRepository {
  constructor(private readonly dataSource: DataSource) {}

  async tables(): Promise<readonly ExportedTable[]> {
    const rows = await this.dataSource.query<{ table: string; isOwned: boolean; key: KeyColumn[] }[]>(TABLES);
    return rows.flatMap(({ table, isOwned, key }) => {
      const condition = EXPORTED_BY_CONDITION[table] ?? (isOwned ? 't.organization_id = $1' : null);
      const columns = EXPORTED_COLUMNS.get(table);
      if (condition === null || columns === undefined) return [];
      return [{ table, condition, columns, key: key.length > 0 ? key : [{ name: 'ctid', type: 'tid' }] }];
    });
  }

  /** Rows after `after`, the key of the last one. */
  page(
    { table, condition, columns: exported, key }: ExportedTable,
    organizationId: string,
    after: readonly string[] | null,
    limit: number,
  ): Promise<{ readonly key: string[]; readonly row: JsonObject }[]> {
    const columns = key.map(({ name }) => `t."${name}"`).join(', ');
    const texts = key.map(({ name }) => `t."${name}"::text`).join(', ');
    const later =
      after === null ? '' : `AND (${columns}) > (${key.map(({ type }, at) => `$${at + 2}::${type}`).join(', ')})`;
    const shown = exported.map((name) => `t."${name}"`).join(', ');
    const sql = `SELECT ARRAY[${texts}] AS key, to_jsonb(shown) AS row
      FROM "${table}" t CROSS JOIN LATERAL (SELECT ${shown}) shown
      WHERE ${condition} ${later} ORDER BY ${columns} LIMIT ${limit}`;
    return this.dataSource.query(sql, [organizationId, ...(after ?? [])]);
  }

  async blobs(organizationId: string): Promise<readonly ExportedBlob[]> {
    const rows = await this.dataSource.query<
      { folder: string; name: string; storageName: string; ownerId: string; knowledgeBaseId: string | null }[]
    >(BLOBS, [organizationId]);
    return rows.map(({ ownerId, knowledgeBaseId, ...blob }) => ({
      ...blob,
      space:
        knowledgeBaseId === null
          ? (['files', organizationId, ownerId] as const)
          : knowledgeBaseSpace(organizationId, knowledgeBaseId),
    }));
  }
}
