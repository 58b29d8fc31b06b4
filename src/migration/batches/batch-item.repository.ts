import { integerCursor, type Page, pageOf, type PageRequest } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../../infrastructure/database';
import type { RewriteSubject } from '../../assistants';
import type { BatchItem, EditedItem, ItemStatus } from './batch.types';

const COLUMNS = `
  assistant_id AS "assistantId", i.organization_id AS "organizationId", status, from_version AS "from",
  old_version AS "oldVersion", new_version AS "newVersion", old_hash AS "oldHash", new_hash AS "newHash",
  problems, differences, audit_id AS "auditId",
  (SELECT name FROM assistants a WHERE a.id = i.assistant_id AND a.deleted_at IS NULL) AS name`;

const INSERT = `
  INSERT INTO migration_items (batch_id, assistant_id, organization_id, status, from_version, old_version, new_version,
    old_hash, new_hash, problems, differences, audit_id)
  SELECT $1, "assistantId", "organizationId", status, "from", "oldVersion", "newVersion", "oldHash", "newHash",
    problems, differences, "auditId"
  FROM json_to_recordset($2::json) AS i("assistantId" integer, "organizationId" uuid, status text, "from" integer,
    "oldVersion" integer, "newVersion" integer, "oldHash" text, "newHash" text, problems json, differences json,
    "auditId" uuid)`;

const AFTER = `
  SELECT ${COLUMNS} FROM migration_items i
  WHERE batch_id = $1 AND status = ANY($2) AND assistant_id > $3 ORDER BY assistant_id LIMIT $4`;

const COUNT = `SELECT count(*)::int AS total FROM migration_items WHERE batch_id = $1 AND status = ANY($2)`;

const FIND = `SELECT ${COLUMNS} FROM migration_items i WHERE batch_id = $1 AND assistant_id = $2`;

const MARK = `UPDATE migration_items SET status = $3, at = now() WHERE batch_id = $1 AND assistant_id = ANY($2)`;

/**
 * Assistants with an edit that a rollback would undo. A later rewrite that was rolled back is no edit. The same rule as in
 * `AssistantRewrites.rollBack`, which applies it under its locks.
 */
const EDITED = `
  FROM migration_items i
    JOIN assistants a ON a.id = i.assistant_id AND a.deleted_at IS NULL AND a.version > i.new_version
    LEFT JOIN assistant_versions old ON old.assistant_id = i.assistant_id AND old.version = i.old_version
    LEFT JOIN assistant_versions made ON made.assistant_id = i.assistant_id AND made.version = i.new_version
  WHERE i.batch_id = $1 AND i.status = 'migrated'
    AND (a.metadata, a.prompt_template, a.type) IS DISTINCT FROM (old.metadata, old.prompt_template, old.type)
    AND ((a.metadata, a.prompt_template, a.type) IS DISTINCT FROM (made.metadata, made.prompt_template, made.type)
      OR EXISTS (SELECT FROM assistant_versions later WHERE later.assistant_id = i.assistant_id
        AND later.version > i.new_version AND later.reason NOT IN ('migrate', 'convert', 'rollback')))`;

const LIST_EDITED = `
  SELECT i.assistant_id AS "assistantId", i.new_version AS "newVersion", a.version ${EDITED}
  ORDER BY i.assistant_id LIMIT $2`;

const COUNT_EDITED = `SELECT count(*)::int AS total ${EDITED}`;

const SIZES = `
  SELECT (octet_length(metadata) + octet_length(prompt_template) + octet_length(system_prompt)
    + octet_length(description))::int AS bytes
  FROM assistants WHERE deleted_at IS NULL AND id > $1 AND ($2::uuid IS NULL OR organization_id = $2)
  ORDER BY id LIMIT $3`;

const DOCUMENTS = `'type', d.type, 'name', d.name, 'description', d.description, 'systemPrompt', d.system_prompt,
  'promptTemplate', d.prompt_template, 'metadata', d.metadata, 'ragCollections', d.rag_collections, 'ragTopK', d.rag_top_k`;

const definition = (alias: string): string =>
  `CASE WHEN ${alias}.version IS NOT NULL THEN json_build_object(${DOCUMENTS.replaceAll('d.', `${alias}.`)}) END`;

/** The versions that an item names and the current one. The history has no foreign key, so any may be missing. */
const STORED = `
  SELECT i.assistant_id AS "assistantId", a.owner_id AS "ownerId", a.version,
    ${definition('a')} AS current, ${definition('o')} AS old, ${definition('n')} AS new
  FROM migration_items i
    LEFT JOIN assistants a ON a.id = i.assistant_id AND a.deleted_at IS NULL
    LEFT JOIN assistant_versions o ON o.assistant_id = i.assistant_id AND o.version = i.old_version
    LEFT JOIN assistant_versions n ON n.assistant_id = i.assistant_id AND n.version = i.new_version
  WHERE i.batch_id = $1 AND i.assistant_id = ANY($2)`;

type Definition = RewriteSubject['definition'];

/** Stored definitions of an item. `ownerId`, `version` and `current` are null when the assistant was deleted. */
export interface StoredItem {
  readonly assistantId: number;
  readonly ownerId: string | null;
  readonly version: number | null;
  readonly current: Definition | null;
  readonly old: Definition | null;
  readonly new: Definition | null;
}

/** Results of a batch by assistant. Reads assistants and their history, and never writes them. */
@Injectable()
export class BatchItemRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insert(batchId: string, items: readonly BatchItem[], tx: Transaction): Promise<void> {
    if (items.length > 0) await tx.query(INSERT, [batchId, JSON.stringify(items)]);
  }

  after(batchId: string, statuses: readonly ItemStatus[], afterId: number, limit: number): Promise<BatchItem[]> {
    return this.dataSource.query(AFTER, [batchId, statuses, afterId, limit]);
  }

  async count(batchId: string, statuses: readonly ItemStatus[]): Promise<number> {
    const [row] = await this.dataSource.query<[{ total: number }]>(COUNT, [batchId, statuses]);
    return row.total;
  }

  async find(batchId: string, assistantId: number): Promise<BatchItem | null> {
    const [row] = await this.dataSource.query<BatchItem[]>(FIND, [batchId, assistantId]);
    return row ?? null;
  }

  async mark(batchId: string, ids: readonly number[], status: ItemStatus, tx: Transaction): Promise<void> {
    if (ids.length > 0) await tx.query(MARK, [batchId, ids, status]);
  }

  /** Migrated assistants that were saved since: the first `limit`, and the number of all. */
  async edited(
    batchId: string,
    limit: number,
  ): Promise<{ readonly items: readonly EditedItem[]; readonly count: number }> {
    const items = await this.dataSource.query<EditedItem[]>(LIST_EDITED, [batchId, limit]);
    const [row] = await this.dataSource.query<[{ total: number }]>(COUNT_EDITED, [batchId]);
    return { items, count: row.total };
  }

  /** Number of the next live assistants whose documents fit into `bytes`; at least one. */
  async within(bytes: number, organizationId: string | null, afterId: number, limit: number): Promise<number> {
    const rows = await this.dataSource.query<{ bytes: number }[]>(SIZES, [afterId, organizationId, limit]);
    let sum = 0;
    const over = rows.findIndex((row) => (sum += row.bytes) > bytes);
    return Math.max(over === -1 ? limit : over, 1);
  }

  async stored(batchId: string, ids: readonly number[]): Promise<ReadonlyMap<number, StoredItem>> {
    const rows = await this.dataSource.query<StoredItem[]>(STORED, [batchId, ids]);
    return new Map(rows.map((row) => [row.assistantId, row]));
  }

  async page(
    batchId: string,
    statuses: readonly ItemStatus[],
    { limit, cursor }: PageRequest,
  ): Promise<Page<BatchItem>> {
    const rows = await this.after(batchId, statuses, integerCursor(cursor) ?? 0, limit + 1);
    return { ...pageOf(rows, limit, ({ assistantId }) => assistantId), total: await this.count(batchId, statuses) };
  }
}
