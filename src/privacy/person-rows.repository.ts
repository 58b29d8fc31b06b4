import type { JsonObject } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../infrastructure/database';
import { type FoundLine, RunLines, hasLine } from '../runs';
import type { PersonTable } from './person-table.types';

/** Tables without rows about people, with the reason. */
export const TABLES_WITHOUT_PEOPLE: Readonly<Record<string, string>> = {
  applied_writes: 'ids of writes, forgotten within hours',
  assistant_aliases: 'numbers of assistants at other installations',
  assistant_call_counts: 'counts calls between assistants and organizations',
  assistant_group_shares: 'shares with groups',
  assistant_tests: 'questions that editors keep as tests',
  audit_chains: 'hashes of the audit',
  connection_health: 'last outcomes of vendors and servers',
  data_keys: 'one key per organization',
  import_leases: 'names processes',
  installation_figures: 'sizes of tables and queues',
  knowledge_base_group_shares: 'shares with groups',
  kb_chunk_terms: 'numbers of words, removed with their document',
  kb_embedding_cache: 'hashes and vectors, removed with their knowledge base',
  kb_posting_blocks: 'numbers of passages, removed with their document',
  kb_terms: 'words of a knowledge base, removed with it',
  kb_vectors: 'vectors of passages, removed with their document',
  lti_activities: 'links of courses with their assistants',
  lti_attempts: 'launches under way, removed within minutes',
  lti_bridge_keys: 'consumer keys of course platforms',
  lti_bridges: 'settings of LTI 1.1',
  lti_courses: 'courses of learning platforms',
  lti_keys: 'signing keys of the service',
  lti_platforms: 'settings of learning platforms',
  lti_nonces: 'hashes of launches, removed within minutes',
  lti_legacy_activities: 'links of courses of another installation with their assistants',
  migration_items: 'results for assistants, removed with them',
  migrations: 'versions of the schema',
  oidc_attempts: 'hashes of sign-ins under way, removed within minutes',
  oidc_issuers: 'settings of sign-in services',
  organizations: 'settings of institutions',
  plan_outcomes: 'figures per assistant and day',
  publication_gates: 'settings of assistants',
  receipt_keys: 'keys that sign receipts',
  run_segments: 'lines of runs, deleted with the rows of the person',
  test_results: 'answers to tests, removed with their test run',
  tool_stats: 'figures per organization and day',
};

/** Columns of person tables that look like references to people and are none, as `table.column`. */
export const COLUMNS_WITHOUT_PEOPLE: ReadonlySet<string> = new Set([
  'audit_entries.actor_kind',
  'members.role',
  'oidc_attempts.link_user_id',
  'oidc_identities.claims_at',
  'run_segments.caller_organization_id',
  'runs.caller_organization_id',
  'usage_days.caller_organization_id',
  'users.id',
]);

/** The person in one organization. */
export interface PersonIn {
  readonly organizationId: string;
  readonly userId: string;
}

/** Lines of this many runs are rewritten together. */
const LINES_AT_ONCE = 500;

/** Reads and erases rows about a person by the list of `PERSON_TABLES`. */
@Injectable()
export class PersonRowsRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lines: RunLines,
  ) {}

  async count({ table, rows }: PersonTable, person: PersonIn): Promise<number> {
    const sql = `SELECT count(*)::int AS count FROM ${table} t WHERE ${rows}`;
    const [found] = await this.dataSource.query<[{ count: number }]>(sql, valuesOf(person));
    return found.count;
  }

  /** Rows after the key, ordered by it, with the exported columns. */
  page(
    { table, rows, key, exported }: PersonTable,
    person: PersonIn,
    after: string | null,
    limit: number,
  ): Promise<{ key: string; row: JsonObject }[]> {
    const columns = typeof exported === 'string' ? [] : (exported ?? []);
    const sql = `
      SELECT (${key}) COLLATE "C" AS key, to_jsonb(shown) AS row
      FROM ${table} t CROSS JOIN LATERAL (SELECT ${columns.join(', ')}) shown
      WHERE ${rows} AND ($3::text IS NULL OR (${key}) COLLATE "C" > $3) ORDER BY 1 LIMIT ${limit}`;
    return this.dataSource.query(sql, [...valuesOf(person), after]);
  }

  /** Deletes or anonymises up to `limit` rows. Returns their number. */
  async treat(
    { table, rows, erasure, lines }: PersonTable,
    person: PersonIn,
    limit: number,
    tx: Transaction,
  ): Promise<number> {
    if (lines !== undefined) await this.forgetLines(lines, person, tx);
    if (erasure.by === 'merge') return (await tx.query<object[]>(erasure.statement, valuesOf(person))).length;
    const some = `SELECT t.ctid FROM ${table} t WHERE ${rows} LIMIT ${limit} FOR UPDATE`;
    const sql =
      erasure.by === 'anonymise'
        ? `UPDATE ${table} SET ${erasure.set} WHERE ctid = ANY(ARRAY(${some}))`
        : `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(${some}))`;
    const [, affected] = await tx.query<[unknown, number]>(sql, valuesOf(person));
    return affected;
  }

  /** Segment by segment: a person may have more lines than fit into memory. No row keeps its place in a forgotten line. */
  private async forgetLines(condition: string, person: PersonIn, tx: Transaction): Promise<void> {
    const sql = `
      WITH found AS (
        SELECT t.id, t.segment_id, t.segment_position FROM runs t
        WHERE t.segment_id IS NOT NULL AND ${condition} ORDER BY t.segment_id, t.id LIMIT ${LINES_AT_ONCE} FOR UPDATE
      ), released AS (
        UPDATE runs SET segment_id = NULL, segment_position = NULL FROM found WHERE runs.id = found.id
      )
      SELECT id, segment_id AS "segmentId", segment_position AS "segmentPosition" FROM found`;
    for (let isDone = false; !isDone;) {
      const runs = await tx.query<FoundLine[]>(sql, valuesOf(person));
      await this.lines.forget(runs.filter(hasLine), tx);
      isDone = runs.length < LINES_AT_ONCE;
    }
  }
}

const valuesOf = ({ organizationId, userId }: PersonIn): string[] => [organizationId, userId];
