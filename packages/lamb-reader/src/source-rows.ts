import { isJsonObject, type JsonObject } from '@bellwether/kernel';
import type { Database, SQLiteValue } from 'node-sqlite3-wasm';
import type { LambProblem, LambProblemCode } from './problem.types';

export interface SourceTable {
  readonly name: string;
  /** With the prefix, in the file's own case. */
  readonly storedName: string;
  readonly key: string;
  /** Columns that exist in this file. */
  readonly columns: readonly string[];
}

/** Quotes a name for SQLite: names come from the file. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const NAME_BYTES = 4_096;
/** Longest document or prompt; longer ones cannot be stored here either. */
export const DOCUMENT_BYTES = 1_048_576;
const MAX_DEPTH = 64;
/** Problems listed per table; the rest is counted. */
const MAX_LISTED = 1_000;

/** The row cannot be imported. */
class UnreadableRow extends Error {
  constructor(
    readonly column: string,
    message: string,
  ) {
    super(message);
  }
}

interface Cell {
  readonly type: string;
  readonly bytes: number;
  /** Text as UTF-8; null for texts over the limit and for blobs. */
  readonly value: SQLiteValue;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Iterative, because a deep document would overflow the stack. */
function isDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((item): unknown[] => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}

function parsed(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text);
    if (isDeep(value)) return `nests deeper than ${MAX_DEPTH} levels`;
    return isJsonObject(value) ? value : 'is not a JSON object';
  } catch {
    return 'is not JSON';
  }
}

/** One row of the source. Type and size of each column are checked when it is read. */
export class SourceRow {
  constructor(
    private readonly cells: ReadonlyMap<string, Cell>,
    private readonly ignored: (column: string, message: string) => void,
  ) {}

  /** An integer id. */
  id(column: string): number {
    const { type, value } = this.cell(column);
    if (type !== 'integer') throw new UnreadableRow(column, `is ${type} where a number is needed`);
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new UnreadableRow(column, 'is out of range');
    return value;
  }

  idOrNull(column: string): number | null {
    return this.cell(column).type === 'null' ? null : this.id(column);
  }

  /** A text that the row needs. */
  required(column: string, limit = NAME_BYTES): string {
    const text = this.text(column, limit);
    if (text.trim() === '') throw new UnreadableRow(column, 'is empty');
    return text;
  }

  /** A text that is read unchanged or not at all; empty for NULL. */
  text(column: string, limit = DOCUMENT_BYTES): string {
    const { type, bytes, value } = this.cell(column);
    if (type === 'null') return '';
    if (type === 'integer' || type === 'real') return String(value);
    if (type !== 'text') throw new UnreadableRow(column, `is ${type} where a text is needed`);
    if (bytes > limit) throw new UnreadableRow(column, `is ${bytes} bytes long, over the limit of ${limit}`);
    try {
      return utf8.decode(value as Uint8Array);
    } catch {
      throw new UnreadableRow(column, 'is not UTF-8');
    }
  }

  /** `text` of a column whose row is judged by `refusalOf`: empty when it cannot be read. */
  document(column: string): string {
    return this.refusalOf([column]) === null ? this.text(column) : '';
  }

  /** Why one of the documents cannot be read; null when all can. */
  refusalOf(columns: readonly string[]): string | null {
    for (const column of columns) {
      try {
        this.text(column);
      } catch (error) {
        if (!(error instanceof UnreadableRow)) throw error;
        return `${column} ${error.message}`;
      }
    }
    return null;
  }

  /** `text` for a value that the row can do without. */
  textOr(column: string, fallback: string, limit = DOCUMENT_BYTES): string {
    return this.lenient(column, fallback, () => this.text(column, limit) || fallback);
  }

  numberOrNull(column: string): number | null {
    return this.lenient(column, null, () => this.idOrNull(column));
  }

  flag(column: string, fallback: boolean): boolean {
    return this.lenient(column, fallback, () => {
      const text = this.text(column, NAME_BYTES).toLowerCase();
      if (text === '') return fallback;
      if (text === '1' || text === 'true') return true;
      if (text === '0' || text === 'false') return false;
      throw new UnreadableRow(column, 'is neither true nor false');
    });
  }

  oneOf<T extends string>(column: string, allowed: readonly T[]): T | null {
    const text = this.text(column, NAME_BYTES);
    return allowed.find((value) => value === text) ?? null;
  }

  /** Reports a value that is ignored. */
  ignore(column: string, message: string): void {
    this.ignored(column, message);
  }

  /** A JSON object; null for NULL and an empty text, and, with a problem, when it cannot be read. */
  json(column: string): JsonObject | null {
    return this.lenient(column, null, () => {
      const text = this.text(column);
      if (text.trim() === '') return null;
      const value = parsed(text);
      if (typeof value === 'string') throw new UnreadableRow(column, value);
      return value;
    });
  }

  private lenient<T>(column: string, fallback: T, read: () => T): T {
    if (!this.cells.has(column)) return fallback;
    try {
      return read();
    } catch (error) {
      if (!(error instanceof UnreadableRow)) throw error;
      this.ignored(column, error.message);
      return fallback;
    }
  }

  private cell(column: string): Cell {
    return this.cells.get(column) ?? { type: 'null', bytes: 0, value: null };
  }
}

/** Reads texts as bytes, because the engine's strings end at the first NUL. */
function selectOf({ storedName, key, columns }: SourceTable): string {
  const cells = columns.map((column, index) => {
    const name = quoted(column);
    const text = `iif(octet_length(${name}) <= ${DOCUMENT_BYTES}, CAST(${name} AS BLOB), NULL)`;
    const value = `CASE typeof(${name}) WHEN 'text' THEN ${text} WHEN 'blob' THEN NULL ELSE ${name} END`;
    return `typeof(${name}) AS t${index}, octet_length(${name}) AS n${index}, ${value} AS v${index}`;
  });
  const order = key === 'rowid' ? key : quoted(key);
  return `SELECT substr(CAST(${order} AS TEXT), 1, 100) AS k, ${cells.join(', ')} FROM ${quoted(storedName)} ORDER BY ${order}`;
}

class TableProblems {
  private unlisted = 0;
  private readonly listed: LambProblem[] = [];

  constructor(private readonly table: string) {}

  add(code: LambProblemCode, row: string, path: string, message: string): void {
    if (this.listed.length < MAX_LISTED) this.listed.push({ code, table: this.table, row, path, message });
    else this.unlisted++;
  }

  all(): readonly LambProblem[] {
    if (this.unlisted === 0) return this.listed;
    const message = `${this.unlisted} more problems in this table are not listed`;
    return [...this.listed, { code: 'row.left_out', table: this.table, row: null, path: '', message }];
  }
}

function cellsOf(columns: readonly string[], row: Readonly<Record<string, unknown>>): Map<string, Cell> {
  return new Map(
    columns.map((column, index) => {
      const bytes = row[`n${index}`];
      const value = row[`v${index}`] as SQLiteValue;
      return [column, { type: String(row[`t${index}`]), bytes: typeof bytes === 'number' ? bytes : 0, value }];
    }),
  );
}

export interface ReadRows<T> {
  readonly rows: readonly T[];
  readonly problems: readonly LambProblem[];
}

/** Reads a whole table; unreadable rows are left out and listed. An absent table has no rows. */
export function readRows<T>(
  database: Database,
  table: SourceTable | undefined,
  toRow: (row: SourceRow) => T,
): ReadRows<T> {
  if (table === undefined) return { rows: [], problems: [] };
  const problems = new TableProblems(table.name);
  const rows: T[] = [];
  const statement = database.prepare(selectOf(table));
  try {
    for (const found of statement.iterate()) {
      const key = typeof found['k'] === 'string' ? found['k'] : '';
      const note = (column: string, message: string): void => problems.add('value.ignored', key, column, message);
      try {
        rows.push(toRow(new SourceRow(cellsOf(table.columns, found), note)));
      } catch (error) {
        if (!(error instanceof UnreadableRow)) throw error;
        problems.add('row.left_out', key, error.column, error.message);
      }
    }
  } finally {
    statement.finalize();
  }
  return { rows, problems: problems.all() };
}
