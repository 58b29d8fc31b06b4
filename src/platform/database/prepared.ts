import { createHash } from 'node:crypto';
import type { PoolClient, QueryResultRow } from 'pg';
import type { DataSource } from 'typeorm';

/** Later statements are planned each time: slower, not wrong. */
const MOST_REMEMBERED = 32;
const names = new Map<string, string>();

/**
 * Runs a prepared statement: parsed once per connection and planned a few times. For statements whose planning
 * dominates: a search of a dozen joins takes some 5 ms to plan on the embedded engine. `text` must be one of a few
 * constants. Errors are those of `pg`, which `databaseErrorToAppError` knows.
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

/** The same name in every process: a connection pooler may share one server connection. */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MOST_REMEMBERED) return known;
  const name = `bw_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  names.set(text, name);
  return name;
}
