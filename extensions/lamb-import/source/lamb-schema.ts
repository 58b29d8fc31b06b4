import type { Database } from 'node-sqlite3-wasm';
import { AppError, type Problem } from '../../../src/kernel';
import type { LambProblem } from './problem.types';
import { quoted, type SourceTable } from './source-rows';
import { type TableDefinition, type TableName, TABLE_NAMES, TABLES } from './source-tables';

const DEFAULT_PREFIX = 'LAMB_';
/** Tables of every LAMB version. */
const ANCHORS: readonly TableName[] = ['assistants', 'organizations'];

export interface SourceSchema {
  readonly prefix: string;
  readonly tables: ReadonlyMap<TableName, SourceTable>;
  readonly problems: readonly LambProblem[];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function tablesOf(database: Database): Map<string, string> {
  const rows = database.all(`SELECT name FROM sqlite_schema WHERE type = 'table'`);
  return new Map(rows.map((row) => [textOf(row['name']).toLowerCase(), textOf(row['name'])]));
}

const known = (tables: ReadonlyMap<string, string>, prefix: string): number =>
  TABLE_NAMES.filter((name) => tables.has(`${prefix}${name}`.toLowerCase())).length;

/** The prefix that most of the documented tables have. */
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
  const { key, fields }: TableDefinition = TABLES[name];
  const present = new Set(columnsOf(database, storedName).map((column) => column.toLowerCase()));
  const isPresent = (column: string): boolean => present.has(column.toLowerCase());
  const columns = new Map(Object.values(fields).map(({ column, isOptional }) => [column, isOptional]));
  for (const [column, isOptional] of columns) {
    if (!isOptional && !isPresent(column)) missing.push({ path: `${storedName}.${column}`, message: 'is missing' });
  }
  return { name, storedName, key, columns: [...columns.keys()].filter(isPresent) };
}

/**
 * Finds LAMB's tables in a SQLite database.
 * @throws AppError `validation_failed` naming every missing table and column
 */
export function findSchema(database: Database): SourceSchema {
  const stored = tablesOf(database);
  const prefix = prefixOf(stored);
  const findings: Findings = { missing: [], problems: [] };
  const tables = new Map<TableName, SourceTable>();
  for (const name of TABLE_NAMES) {
    const storedName = stored.get(`${prefix}${name}`.toLowerCase());
    if (storedName !== undefined) tables.set(name, tableOf(database, name, storedName, findings));
    else if ((TABLES[name] as TableDefinition).isOptional !== true)
      findings.missing.push({ path: `${prefix}${name}`, message: 'is missing' });
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

/** Findings of quick_check about single rows, which are checked one by one. */
const ABOUT_VALUES = /^(?:(?:NULL|TEXT|NUMERIC|non-\w+) value in|CHECK constraint failed)/;

/**
 * Reads the pages of the needed tables, not those of the chats.
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
