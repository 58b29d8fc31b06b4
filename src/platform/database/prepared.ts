import { createHash } from 'node:crypto';
import type { PoolClient, QueryResultRow } from 'pg';
import type { DataSource } from 'typeorm';

/** Statements that connections remember; what comes after them is planned anew each time, which is slower, not wrong. */
const MOST_REMEMBERED = 32;
const names = new Map<string, string>();

/**
 * Runs a statement that each connection parses once and plans a few times at most. Worth it where planning takes longer than
 * the answer may: a search of a dozen joins is planned for some 5 ms on the embedded engine. `text` must be one of a few
 * constants, with everything that varies in `values`. Errors are those of `pg`, which `databaseErrorToAppError` knows.
 */
export async function queryPrepared<Row extends QueryResultRow>(
  dataSource: DataSource,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const runner = dataSource.createQueryRunner();
  try {
    const client = (await runner.connect()) as PoolClient;
    const name = nameOf(text);
    const { rows } = await client.query<Row>({ ...(name === undefined ? {} : { name }), text, values: [...values] });
    return rows;
  } finally {
    await runner.release();
  }
}

/** The same text has the same name in every process, as one server may see them all through one connection pooler. */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MOST_REMEMBERED) return known;
  const name = `bw_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  names.set(text, name);
  return name;
}
