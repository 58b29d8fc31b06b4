import type { Database } from 'node-sqlite3-wasm';
import { isStorableText } from '../../../src/kernel';
import { quoted } from './source-rows';

export type Values = Readonly<Record<string, unknown>>;

const MAX_LENGTH = 1_000;

/** A table that is absent or damaged counts as empty: courses are no reason to refuse the import of everything else. */
export function rowsOf(database: Database, table: string): readonly Values[] {
  try {
    return database.all(`SELECT * FROM ${quoted(table)} ORDER BY rowid`);
  } catch {
    return [];
  }
}

export function idIn(row: Values, column: string): number | null {
  const value = row[column];
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** The text as it is: identifiers are compared with those of launches. */
export function textIn(row: Values, column: string, maxLength = MAX_LENGTH): string | null {
  const value = row[column];
  if (typeof value !== 'string' || value.trim() === '' || value.length > maxLength) return null;
  return isStorableText(value) ? value : null;
}
