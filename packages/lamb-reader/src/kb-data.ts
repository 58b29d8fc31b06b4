import { AppError, type JsonObject, type Problem } from '@bellwether/kernel';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'node-sqlite3-wasm';
import type { LambProblem } from './problem.types';
import { NAME_BYTES, quoted, readRows, type SourceRow } from './source-rows';
import { withSqliteFile } from './sqlite-file';

/** A collection of the knowledge-base server. */
export interface KbCollection {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  /** Id of a user in LAMB, as text. */
  readonly owner: string;
  readonly isPublic: boolean;
}

/** A row of its file registry: a file, or addresses that it read. */
export interface KbFile {
  readonly id: number;
  readonly collectionId: number;
  readonly name: string;
  /** On the server that wrote it. */
  readonly path: string;
  readonly url: string;
  readonly plugin: string;
  readonly parameters: JsonObject;
  /** Lower case. */
  readonly status: string;
}

export interface KbData {
  /** The folder with the originals; null when there is none. */
  readonly originals: string | null;
  readonly collections: readonly KbCollection[];
  readonly files: readonly KbFile[];
  readonly problems: readonly LambProblem[];
}

const DATABASE = 'lamb-kb-server.db';

const collectionOf = (row: SourceRow): KbCollection => ({
  id: row.id('id'),
  name: row.textOr('name', '', NAME_BYTES),
  description: row.textOr('description', ''),
  owner: row.textOr('owner', '', NAME_BYTES),
  isPublic: row.textOr('visibility', '', NAME_BYTES).toLowerCase() === 'public',
});

const fileOf = (row: SourceRow): KbFile => ({
  id: row.id('id'),
  collectionId: row.id('collection_id'),
  name: row.textOr('original_filename', '', NAME_BYTES),
  path: row.textOr('file_path', '', NAME_BYTES),
  url: row.textOr('file_url', '', NAME_BYTES),
  plugin: row.textOr('plugin_name', '', NAME_BYTES),
  parameters: row.json('plugin_params') ?? {},
  status: row.textOr('status', '', NAME_BYTES).toLowerCase(),
});

/** Columns that the import reads; others are ignored. */
const TABLES = {
  collections: { needed: ['id', 'name', 'owner'], optional: ['description', 'visibility'] },
  file_registry: {
    needed: ['id', 'collection_id', 'original_filename', 'file_path', 'status'],
    optional: ['file_url', 'plugin_name', 'plugin_params'],
  },
} as const;

function tableIn(database: Database, name: keyof typeof TABLES, missing: Problem[]) {
  const found = database
    .all(`PRAGMA table_info(${quoted(name)})`)
    .map((row) => (typeof row['name'] === 'string' ? row['name'] : ''));
  const { needed, optional } = TABLES[name];
  for (const column of needed) {
    if (!found.includes(column)) missing.push({ path: `${name}.${column}`, message: 'is missing' });
  }
  const columns = [...needed, ...optional].filter((column) => found.includes(column));
  return { name, storedName: name, key: 'id', columns };
}

function read(database: Database): Omit<KbData, 'originals'> {
  const missing: Problem[] = [];
  const tables = [tableIn(database, 'collections', missing), tableIn(database, 'file_registry', missing)] as const;
  if (missing.length > 0) {
    const detail = 'The database is not that of a knowledge-base server of a version that can be read';
    throw new AppError('validation_failed', detail, { problems: missing });
  }
  const collections = readRows(database, tables[0], collectionOf);
  const files = readRows(database, tables[1], fileOf);
  return {
    collections: collections.rows,
    files: files.rows,
    problems: [...collections.problems, ...files.problems],
  };
}

const folderOf = (paths: readonly string[]): string | null =>
  paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) ?? null;

/**
 * Reads the data of LAMB's knowledge-base server: its database in the folder or in `data/`, the originals in `static/`
 * there or beside it. Nothing is written.
 * @throws {AppError} `validation_failed` with a sentence for the operator
 */
export function openKbData(folder: string): KbData {
  const file = [join(folder, DATABASE), join(folder, 'data', DATABASE)].find((path) => existsSync(path));
  if (file === undefined) throw new AppError('validation_failed', `There is no ${DATABASE} in ${folder} or its data/`);
  const originals = folderOf([join(folder, 'static'), join(folder, '..', 'static')]);
  return { originals, ...withSqliteFile(file, read) };
}
