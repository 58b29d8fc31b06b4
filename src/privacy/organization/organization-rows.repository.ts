import { Injectable } from '@nestjs/common';
import { DataSource, QueryFailedError } from 'typeorm';
import { type Transaction, Transactions } from '../../infrastructure/database';

/** Tables without `organization_id`, deepest first, with the condition for the rows of the organization `$1`. */
const BY_CONDITION: Readonly<Record<string, string>> = {
  run_events: 'run_id IN (SELECT id FROM runs WHERE organization_id = $1)',
  run_requests: 'run_id IN (SELECT id FROM runs WHERE organization_id = $1)',
  kb_vectors: `index_id IN (
    SELECT unnest(ARRAY[vector_index, next_vector_index]) FROM knowledge_bases WHERE organization_id = $1)`,
  kb_posting_blocks: `term_id IN (
    SELECT t.id FROM kb_terms t JOIN knowledge_bases b ON b.id = t.knowledge_base_id WHERE b.organization_id = $1)`,
  kb_chunk_terms: 'document_id IN (SELECT id FROM kb_documents WHERE organization_id = $1)',
  kb_terms: 'knowledge_base_id IN (SELECT id FROM knowledge_bases WHERE organization_id = $1)',
};

/**
 * Rows of other organizations that stay without what the organization asked: a segment keeps its seal, else the chain of its
 * owner would look cut.
 */
const EMPTIED: Readonly<Record<string, string>> = { run_segments: 'body = NULL, caller_organization_id = NULL' };

/** Other organizations keep their usage; it names an organization that nobody knows. */
const KEPT_FOR_OTHERS = 'usage_days';
const BATCH = 5_000;
/** Erased one by one, after everything that refers to accounts. */
const MEMBERS = 'members';
/** Erased last, by `OrganizationEndings`. */
const ORGANIZATIONS = 'organizations';

const COLUMNS = `
  SELECT c.relname AS "table", a.attname AS "column", c.relkind = 'p' AS "isPartitioned"
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  ORDER BY c.relname, a.attname`;

const REFERENCES = `
  SELECT DISTINCT k.conrelid::regclass::text AS child, k.confrelid::regclass::text AS parent
  FROM pg_constraint k
  WHERE k.contype = 'f' AND k.connamespace = 'public'::regnamespace AND k.conrelid <> k.confrelid`;

/** One kind of rows to delete, batch by batch. */
export interface ErasureStep {
  readonly table: string;
  readonly condition: string;
  /** Assignments after which the rows do not meet the condition; null deletes them. */
  readonly emptied: string | null;
  readonly isPartitioned: boolean;
}

interface Column {
  readonly table: string;
  readonly column: string;
  readonly isPartitioned: boolean;
}

/** The rows of one organization in every table of the database, as the database describes itself. */
@Injectable()
export class OrganizationRowsRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: Transactions,
  ) {}

  /** Every table with rows of organizations, children first; without members and organizations. */
  async steps(): Promise<readonly ErasureStep[]> {
    const columns = await this.dataSource.query<Column[]>(COLUMNS);
    const partitioned = new Map(columns.map(({ table, isPartitioned }) => [table, isPartitioned]));
    const step = (table: string, condition: string, emptied: string | null = null): ErasureStep => ({
      table,
      condition,
      emptied,
      isPartitioned: partitioned.get(table) === true,
    });
    const conditional = Object.entries(BY_CONDITION).filter(([table]) => partitioned.has(table));
    const direct = columns.filter(({ table, column }) => column === 'organization_id' && table !== MEMBERS);
    const ordered = childrenFirst(
      direct.map(({ table }) => table),
      await this.dataSource.query<{ child: string; parent: string }[]>(REFERENCES),
    );
    const foreign = columns.filter(
      ({ table, column }) => /._organization_id$/.test(column) && table !== KEPT_FOR_OTHERS,
    );
    return [
      ...conditional.map(([table, condition]) => step(table, condition)),
      ...foreign.map(({ table, column }) => step(table, `"${column}" = $1`, EMPTIED[table])),
      ...ordered.map((table) => step(table, 'organization_id = $1')),
    ];
  }

  /** Deletes or empties some rows, and runs `counted` in the same transaction. Returns their number; 0 when none are left. */
  async deleteSome(
    { table, condition, emptied, isPartitioned }: ErasureStep,
    organizationId: string,
    counted: (rows: number, tx: Transaction) => Promise<void>,
  ): Promise<number> {
    // A ctid is unique within one partition only.
    const some = isPartitioned
      ? condition
      : `ctid = ANY(ARRAY(SELECT ctid FROM "${table}" WHERE ${condition} LIMIT ${BATCH}))`;
    return this.transactions.run(async (tx) => {
      // The trigger of the audit log refuses every other deletion.
      if (table === 'audit_entries') await tx.query(`SELECT set_config('bellwether.audit_change', 'prune', true)`);
      const change = emptied === null ? `DELETE FROM "${table}"` : `UPDATE "${table}" SET ${emptied}`;
      const [, rows] = await tx.query<[unknown, number]>(`${change} WHERE ${some}`, [organizationId]);
      await counted(rows, tx);
      return rows;
    });
  }

  /** Usage of other organizations by its members keeps its sums under the id `unknown`. */
  async forgetCaller(organizationId: string, unknown: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE ${KEPT_FOR_OTHERS} SET caller_organization_id = $2 WHERE caller_organization_id = $1`,
      [organizationId, unknown],
    );
  }

  /** User ids of members that are left. */
  async members(organizationId: string): Promise<string[]> {
    const sql = `SELECT user_id AS id FROM ${MEMBERS} WHERE organization_id = $1 ORDER BY 1`;
    return (await this.dataSource.query<{ id: string }[]>(sql, [organizationId])).map(({ id }) => id);
  }

  /**
   * Removes a membership, and the account when it is in no other organization and owns nothing there. True when the
   * account went.
   */
  async removeMember(organizationId: string, userId: string, tx: Transaction): Promise<boolean> {
    await tx.query(`DELETE FROM ${MEMBERS} WHERE organization_id = $1 AND user_id = $2`, [organizationId, userId]);
    await tx.query('SAVEPOINT account');
    try {
      const sql = `DELETE FROM users WHERE id = $1 AND NOT EXISTS (SELECT FROM ${MEMBERS} WHERE user_id = $1)`;
      const [, removed] = await tx.query<[unknown, number]>(sql, [userId]);
      return removed > 0;
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
      await tx.query('ROLLBACK TO SAVEPOINT account');
      return false;
    }
  }
}

const isForeignKeyViolation = (error: unknown): boolean =>
  error instanceof QueryFailedError && (error.driverError as { code?: unknown }).code === '23503';

/** @throws {Error} for tables that refer to each other */
function childrenFirst(tables: readonly string[], references: readonly { child: string; parent: string }[]): string[] {
  const waiting = new Set(tables.filter((table) => table !== ORGANIZATIONS));
  const ordered: string[] = [];
  while (waiting.size > 0) {
    const free = [...waiting].filter(
      (table) => !references.some(({ child, parent }) => parent === table && waiting.has(child)),
    );
    if (free.length === 0) throw new Error(`Tables refer to each other: ${[...waiting].join(', ')}`);
    for (const table of free) {
      waiting.delete(table);
      ordered.push(table);
    }
  }
  return ordered;
}
