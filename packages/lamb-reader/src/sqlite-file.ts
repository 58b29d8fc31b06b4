import { AppError, type ErrorCode, type Problem } from '@bellwether/kernel';
import {
  type Stats,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type * as Sqlite from 'node-sqlite3-wasm';
import type { Database } from 'node-sqlite3-wasm';
import type { LambProblem } from './problem.types';
import { type SourceTable, quoted } from './source-rows';
import { TABLES, TABLE_NAMES, type TableDefinition, type TableName } from './source-tables';

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

const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const HEADER_BYTES = 100;
/** Offsets in the header, https://www.sqlite.org/fileformat.html#the_database_header */
const AT = { pageSize: 16, writeVersion: 18, changes: 24, pages: 28, encoding: 56, pagesValidFor: 92 } as const;
const WAL_VERSION = 2;
const UTF8 = 1;
/** A journal with this beginning must be rolled back first. */
const JOURNAL_MAGIC = Buffer.from('d9d505f920a163d7', 'hex');

const refused = (detail: string, cause?: unknown, code: ErrorCode = 'validation_failed'): AppError =>
  new AppError(code, detail, { cause });

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';

function existing(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw refused(`${file} cannot be read: ${codeOf(error)}`, error);
  }
}

function statOf(file: string): Stats {
  const stats = existing(file);
  if (stats === undefined) throw refused(`There is no file ${file}`);
  if (stats.isDirectory()) throw refused(`${file} is a directory; name the SQLite file in it`);
  if (!stats.isFile()) throw refused(`${file} is not a regular file`);
  if (stats.size === 0) throw refused(`${file} is empty`);
  return stats;
}

/** The first `length` bytes, fewer when the file is shorter. */
function beginningOf(file: string, length: number): Buffer {
  try {
    const handle = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, readSync(handle, bytes, 0, length, 0));
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw refused(`${file} cannot be read: ${codeOf(error)}`, error);
  }
}

function checkHeader(file: string, header: Buffer, size: number): void {
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) throw refused(`${file} is not a SQLite database`);
  if (header.length < HEADER_BYTES) throw refused(`${file} is cut off: ${size} bytes are there`);
  const declared = header.readUInt16BE(AT.pageSize);
  const pageSize = declared === 1 ? 65_536 : declared;
  const countIsValid = header.readUInt32BE(AT.changes) === header.readUInt32BE(AT.pagesValidFor);
  const expected = header.readUInt32BE(AT.pages) * pageSize;
  if (countIsValid && size < expected) {
    throw refused(`${file} is cut off: ${size} of ${expected} bytes are there; copy it again`);
  }
  if (header.readUInt32BE(AT.encoding) > UTF8) {
    throw refused(`${file} stores its texts as UTF-16; make a copy in UTF-8 with sqlite3's .dump`);
  }
}

/** Refuses a file with changes outside of it, which would be lost silently. */
function checkNeighbours(file: string): void {
  const log = existing(`${file}-wal`);
  if (log !== undefined && log.size > 0) {
    throw refused(
      `${basename(file)}-wal holds changes that are not in ${file} yet. Stop LAMB, or run ` +
        `sqlite3 ${file} 'PRAGMA wal_checkpoint(TRUNCATE)', and try again`,
    );
  }
  const journal = `${file}-journal`;
  if (existsSync(journal) && beginningOf(journal, JOURNAL_MAGIC.length).equals(JOURNAL_MAGIC)) {
    throw refused(
      `${basename(journal)} belongs to a change that has not ended. Stop LAMB, or, if it died, open ${file} once with ` +
        'sqlite3, and try again',
    );
  }
}

function copyWithoutLog(file: string, copy: string, header: Buffer): void {
  try {
    copyFileSync(file, copy, constants.COPYFILE_FICLONE);
    chmodSync(copy, 0o600);
    const handle = openSync(copy, 'r+');
    try {
      // Both version bytes: the engine has no shared memory, which a file in WAL mode asks for.
      const versions = Buffer.from(header.subarray(AT.writeVersion, AT.writeVersion + 2)).fill(1);
      writeSync(handle, versions, 0, versions.length, AT.writeVersion);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOSPC') {
      throw refused(
        `No space in ${tmpdir()} for the copy of ${file} that has to be read`,
        error,
        'insufficient_storage',
      );
    }
    throw refused(`${file} cannot be copied to ${tmpdir()}: ${code}`, error);
  }
}

/** A path in `folder`, where the engine may put its lock. The source's own folder is never written. */
function readablePath(file: string, header: Buffer, folder: string): string {
  const path = join(folder, 'source.db');
  if (header.subarray(AT.writeVersion, AT.writeVersion + 2).includes(WAL_VERSION)) copyWithoutLog(file, path, header);
  else symlinkSync(file, path);
  return path;
}

/** The engine throws plain objects of its own class; their messages name no content. */
function toRefusal(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'SQLite3Error') return error;
  if (/malformed|not a database/.test(error.message)) return refused(`${file} is damaged: ${error.message}`, error);
  return refused(`${file} cannot be read: ${error.message}`, error);
}

const sameFile = (before: Stats, after: Stats): boolean =>
  before.ino === after.ino && before.size === after.size && before.mtimeMs === after.mtimeMs;

/** The engine is loaded with the first file: its memory takes 17 MB, and a service that imports nothing never needs it. */
const sqlite = (): typeof Sqlite =>
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- files are read without promises
  require('node-sqlite3-wasm') as typeof Sqlite;

/**
 * Opens a SQLite file for reading; neither it nor its folder is written. A file in WAL mode is read from a private
 * temporary copy.
 * @throws {AppError} `validation_failed` when it is no readable SQLite database, has pending changes, or changed during
 * `work`; `insufficient_storage`
 */
export function withSqliteFile<T>(given: string, work: (database: Database) => T): T {
  const before = statOf(given);
  const file = realpathSync(given);
  const header = beginningOf(file, HEADER_BYTES);
  checkNeighbours(file);
  checkHeader(file, header, before.size);
  const folder = mkdtempSync(join(tmpdir(), 'bw-lamb-'));
  let database: Database | undefined;
  try {
    database = new (sqlite().Database)(readablePath(file, header, folder), { readOnly: true, fileMustExist: true });
    // The schema is untrusted, too.
    database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON');
    const result = work(database);
    checkNeighbours(file);
    if (!sameFile(before, statOf(file))) throw refused(`${file} changed while it was read; stop LAMB and try again`);
    return result;
  } catch (error) {
    throw toRefusal(file, error);
  } finally {
    database?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
