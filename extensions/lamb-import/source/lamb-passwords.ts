import type { Database } from 'node-sqlite3-wasm';
import { AppError } from '../../../src/kernel';
import { findSchema } from './lamb-schema';
import { quoted } from './source-rows';
import { withSqliteFile } from './sqlite-file';

const COLUMN = 'password_hash';

/**
 * Hashes of passwords by the source's user id, of people who sign in with one. Read only when the operator takes passwords
 * over.
 * @throws {AppError} `validation_failed` for a LAMB that stores none
 */
export function readLambPasswords(file: string): ReadonlyMap<number, string> {
  return withSqliteFile(file, (database) => {
    const { prefix } = findSchema(database);
    const table = `${prefix}Creator_users`;
    const columns = new Set(database.all(`PRAGMA table_info(${quoted(table)})`).map((row) => row['name']));
    if (!columns.has(COLUMN)) {
      const message = `${table} has no ${COLUMN}: in this version of LAMB the passwords are in Open WebUI's database`;
      throw new AppError('validation_failed', `--passwords-until: ${message}; use sign-in:links instead`);
    }
    return hashesOf(database, table);
  });
}

function hashesOf(database: Database, table: string): ReadonlyMap<number, string> {
  const rows = database.all(`SELECT id, ${COLUMN} FROM ${quoted(table)} ORDER BY id`);
  const hashes = new Map<number, string>();
  for (const { id, [COLUMN]: hash } of rows) {
    if (typeof id === 'number' && typeof hash === 'string' && hash !== '') hashes.set(id, hash);
  }
  return hashes;
}
