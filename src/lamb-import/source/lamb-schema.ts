import type { Database } from 'node-sqlite3-wasm';
import { AppError, type Problem } from '../../kernel';
import type { LambProblem } from './lamb-source.types';

interface TableFacts {
  /** Orders the rows and names them in problems. */
  readonly key: string;
  readonly columns: readonly string[];
  /** Came later, or nothing depends on them. */
  readonly optional: readonly string[];
  /** LAMB got along without this table once. */
  readonly isOptional: boolean;
}

/** What is read of LAMB's documented tables; it has no version table, so the columns themselves are looked at. */
const TABLES = {
  organizations: {
    key: 'id',
    columns: ['id', 'slug', 'name', 'config'],
    optional: ['is_system', 'status'],
    isOptional: false,
  },
  Creator_users: {
    key: 'id',
    columns: ['id', 'organization_id', 'user_email', 'user_name'],
    optional: ['user_type', 'enabled', 'role'],
    isOptional: false,
  },
  organization_roles: {
    key: 'rowid',
    columns: ['organization_id', 'user_id', 'role'],
    optional: [],
    isOptional: false,
  },
  assistants: {
    key: 'id',
    columns: [
      'id',
      'organization_id',
      'name',
      'owner',
      'api_callback',
      'system_prompt',
      'prompt_template',
      'RAG_Top_k',
      'RAG_collections',
    ],
    optional: ['description', 'created_at', 'updated_at'],
    isOptional: false,
  },
  assistant_publish: {
    key: 'assistant_id',
    columns: ['assistant_id', 'oauth_consumer_name'],
    optional: [],
    isOptional: false,
  },
  assistant_shares: {
    key: 'rowid',
    columns: ['assistant_id', 'shared_with_user_id'],
    optional: [],
    isOptional: true,
  },
  rubrics: {
    key: 'id',
    columns: ['id', 'rubric_id', 'organization_id', 'owner_email', 'title', 'rubric_data'],
    optional: ['description', 'is_public', 'is_showcase'],
    isOptional: true,
  },
  prompt_templates: {
    key: 'id',
    columns: ['id', 'organization_id', 'owner_email', 'name', 'system_prompt', 'prompt_template'],
    optional: ['description', 'is_shared'],
    isOptional: true,
  },
  kb_registry: {
    key: 'rowid',
    columns: ['kb_id', 'kb_name', 'owner_user_id', 'organization_id'],
    optional: ['is_shared'],
    isOptional: true,
  },
} as const satisfies Record<string, TableFacts>;

export type TableName = keyof typeof TABLES;
const TABLE_NAMES = Object.keys(TABLES) as TableName[];
const DEFAULT_PREFIX = 'LAMB_';
/** Every LAMB has these two, whatever its age. */
const ANCHORS: readonly TableName[] = ['assistants', 'organizations'];

/** One table as it is in this file. */
export interface SourceTable {
  readonly name: TableName;
  /** With the prefix, in the file's own case. */
  readonly storedName: string;
  readonly key: string;
  /** Those that are there. */
  readonly columns: readonly string[];
}

export interface SourceSchema {
  readonly prefix: string;
  readonly tables: ReadonlyMap<TableName, SourceTable>;
  readonly problems: readonly LambProblem[];
}

/** SQLite's quoting of names: they come from the file. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function tablesOf(database: Database): Map<string, string> {
  const rows = database.all(`SELECT name FROM sqlite_schema WHERE type = 'table'`);
  return new Map(rows.map((row) => [textOf(row['name']).toLowerCase(), textOf(row['name'])]));
}

const known = (tables: ReadonlyMap<string, string>, prefix: string): number =>
  TABLE_NAMES.filter((name) => tables.has(`${prefix}${name}`.toLowerCase())).length;

/** The prefix with most of the documented tables behind it. */
function prefixOf(tables: ReadonlyMap<string, string>): string {
  const prefixes = new Set<string>();
  for (const [lower, stored] of tables) {
    for (const anchor of ANCHORS) {
      if (lower.endsWith(anchor)) prefixes.add(stored.slice(0, stored.length - anchor.length));
    }
  }
  const counted = [...prefixes].map((prefix) => ({ prefix, count: known(tables, prefix) }));
  const most = Math.max(0, ...counted.map(({ count }) => count));
  const best = counted.filter(({ count }) => count === most && count >= ANCHORS.length);
  if (best.length > 1) {
    const names = best.map(({ prefix }) => (prefix === '' ? 'none' : prefix)).join(', ');
    throw new AppError('validation_failed', `The file holds several LAMB databases, with the table prefixes ${names}`);
  }
  return best[0]?.prefix ?? DEFAULT_PREFIX;
}

const columnsOf = (database: Database, storedName: string): string[] =>
  database.all(`PRAGMA table_info(${quoted(storedName)})`).map((row) => textOf(row['name']));

interface Findings {
  readonly missing: Problem[];
  readonly problems: LambProblem[];
}

function tableOf(database: Database, name: TableName, storedName: string, { missing }: Findings): SourceTable {
  const facts: TableFacts = TABLES[name];
  const there = new Set(columnsOf(database, storedName).map((column) => column.toLowerCase()));
  for (const column of facts.columns) {
    if (!there.has(column.toLowerCase())) missing.push({ path: `${storedName}.${column}`, message: 'is not there' });
  }
  const optional = facts.optional.filter((column) => there.has(column.toLowerCase()));
  return { name, storedName, key: facts.key, columns: [...facts.columns, ...optional] };
}

/**
 * Finds LAMB's tables in a SQLite database.
 * @throws AppError `validation_failed` naming every table and column that is not there
 */
export function findSchema(database: Database): SourceSchema {
  const stored = tablesOf(database);
  const prefix = prefixOf(stored);
  const findings: Findings = { missing: [], problems: [] };
  const tables = new Map<TableName, SourceTable>();
  for (const name of TABLE_NAMES) {
    const storedName = stored.get(`${prefix}${name}`.toLowerCase());
    if (storedName !== undefined) tables.set(name, tableOf(database, name, storedName, findings));
    else if (!TABLES[name].isOptional) findings.missing.push({ path: `${prefix}${name}`, message: 'is not there' });
    else {
      const message = 'The table is not in this database';
      findings.problems.push({ code: 'table.absent', table: name, row: null, path: '', message });
    }
  }
  if (findings.missing.length > 0) {
    throw new AppError('validation_failed', 'The file is not a LAMB database of a version that can be read', {
      problems: findings.missing,
    });
  }
  return { prefix, tables, problems: findings.problems };
}

/** What quick_check also finds and what is a matter of single rows: those are judged one by one. */
const ABOUT_VALUES = /^(?:(?:NULL|TEXT|NUMERIC|non-\w+) value in|CHECK constraint failed)/;

/**
 * Reads the pages of the tables that matter, not those of the chats.
 * @throws AppError `validation_failed` when they are damaged
 */
export function checkTables(database: Database, { tables }: SourceSchema): void {
  for (const { storedName } of tables.values()) {
    for (const row of database.all(`PRAGMA quick_check(${quoted(storedName)})`)) {
      const said = textOf(row['quick_check']);
      if (said === 'ok' || ABOUT_VALUES.test(said)) continue;
      throw new AppError('validation_failed', `The table ${storedName} is damaged: ${said.slice(0, 200)}`);
    }
  }
}
