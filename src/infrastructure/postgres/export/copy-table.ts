import type { Client } from 'pg';
import type { Table } from './catalogue';
import type { Fingerprint } from './fingerprint';

/** Limits of one batch: its rows, its bytes at average row size, and its bytes if all rows were the longest. */
const MOST_ROWS = 1_000;
const AVERAGE_BYTES = 4 * 1024 * 1024;
const MOST_BYTES = 32 * 1024 * 1024;

export interface CopyOptions {
  readonly signal: AbortSignal;
  /** Called with the rows of each batch. */
  readonly copied: (rows: number) => void;
}

/** Text form of the database: a conversion to JavaScript types would change some values. */
const AS_TEXT = { getTypeParser: () => (value: string | Buffer) => value.toString() };

export function batchSize({ rows, bytes, longest }: Fingerprint): number {
  const usual = Math.floor(AVERAGE_BYTES / Math.max(1, bytes / Math.max(1, rows)));
  const safe = Math.floor(MOST_BYTES / Math.max(1, longest));
  return Math.max(1, Math.min(MOST_ROWS, usual, safe));
}

/**
 * Both clients are inside a transaction. Not `COPY`: the embedded engine answers it in one piece, with the whole table
 * in memory.
 * @throws the reason of the signal between two batches.
 */
export async function copyTable(
  from: Client,
  to: Client,
  table: Table,
  size: number,
  { signal, copied }: CopyOptions,
): Promise<void> {
  const columns = table.columns.map(({ name }) => name).join(', ');
  const insert = insertInto(table, columns);
  await from.query(`DECLARE rows_of_table NO SCROLL CURSOR FOR SELECT ${columns} FROM ${table.name}`);
  try {
    for (;;) {
      signal.throwIfAborted();
      const { rows } = await from.query<(string | null)[]>({
        text: `FETCH ${size} FROM rows_of_table`,
        rowMode: 'array',
        types: AS_TEXT,
      });
      if (rows.length === 0) return;
      await to.query(
        insert,
        table.columns.map((_, index) => rows.map((row) => row[index] ?? null)),
      );
      copied(rows.length);
    }
  } finally {
    await from.query('CLOSE rows_of_table').catch(() => undefined);
  }
}

function insertInto({ name, columns }: Table, names: string): string {
  const values = columns.map(({ type }, index) => `v${index}::${type}`).join(', ');
  const arrays = columns.map((_, index) => `$${index + 1}::text[]`).join(', ');
  const aliases = columns.map((_, index) => `v${index}`).join(', ');
  return `INSERT INTO ${name} (${names}) OVERRIDING SYSTEM VALUE SELECT ${values} FROM unnest(${arrays}) AS given (${aliases})`;
}
