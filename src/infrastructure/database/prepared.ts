import { Logger } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { PoolClient, QueryResultRow } from 'pg';
import type { DataSource } from 'typeorm';

/** Later statements are planned each time: slower, not wrong. */
const MOST_REMEMBERED = 32;
const names = new Map<string, string>();

/** Codes behind a pooler that may give each statement another connection: the name is unknown there, or taken. */
const NAME_FAILED = ['26000', '42P05'];
/** Data sources behind such a pooler. */
const withoutNames = new WeakSet<DataSource>();
const logger = new Logger('Database');

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
    const ask = async (name?: string): Promise<Row[]> =>
      (await client.query<Row>({ ...(name === undefined ? {} : { name }), text, values: [...values] })).rows;
    if (withoutNames.has(dataSource)) return await ask();
    try {
      return await ask(nameOf(text));
    } catch (error) {
      if (!NAME_FAILED.includes((error as { code?: string }).code ?? '')) throw error;
      giveUpNames(dataSource);
      return await ask();
    }
  } finally {
    await runner.release();
  }
}

function giveUpNames(dataSource: DataSource): void {
  if (withoutNames.has(dataSource)) return;
  withoutNames.add(dataSource);
  logger.warn('The connection pooler keeps no prepared statements (max_prepared_statements): searches are slower');
}

/** The same name in every process: a connection pooler may share one server connection. */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MOST_REMEMBERED) return known;
  const name = `bw_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  names.set(text, name);
  return name;
}
