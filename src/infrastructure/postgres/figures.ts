import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { isTooManyConnections } from './connection/postgres-errors';

export interface DatabaseFigures {
  readonly version: string;
  readonly bytes: number;
}

export async function databaseFigures(dataSource: DataSource): Promise<DatabaseFigures> {
  const [row] = await dataSource.query<[{ version: string; bytes: string }]>(
    `SELECT current_setting('server_version') AS version, pg_database_size(current_database())::text AS bytes`,
  );
  return { version: row.version, bytes: Number(row.bytes) };
}

export interface RoundTrip {
  /** Milliseconds that an empty statement takes. */
  readonly ms: number;
  /** Milliseconds between the clocks of this process and the database. */
  readonly clockOffsetMs: number;
}

const ROUND_TRIPS = 3;

/** The quickest of several: what else runs at that moment is no property of the database. */
export async function databaseRoundTrip(dataSource: DataSource): Promise<RoundTrip> {
  const trips: RoundTrip[] = [];
  for (let trip = 0; trip < ROUND_TRIPS; trip += 1) trips.push(await roundTrip(dataSource));
  return trips.reduce((best, each) => (each.ms < best.ms ? each : best));
}

/** Half of the round trip is the time of the answer. */
async function roundTrip(dataSource: DataSource): Promise<RoundTrip> {
  const [sentAt, startedAt] = [Date.now(), performance.now()];
  const [{ now }] = await dataSource.query<[{ now: number }]>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
  );
  const ms = performance.now() - startedAt;
  return { ms: Math.round(ms), clockOffsetMs: Math.round(Math.abs(now - (sentAt + ms / 2))) };
}

/** Version of pgvector in this database; null where it could be installed; undefined where the server lacks it. */
export async function vectorExtension(dataSource: DataSource): Promise<string | null | undefined> {
  const [row] = await dataSource.query<{ installed: string | null }[]>(
    `SELECT installed_version AS installed FROM pg_available_extensions WHERE name = 'vector'`,
  );
  return row?.installed;
}

/** Servers that are connected to this database. Each holds a connection for signals; commands do not. */
export async function runningServers(dataSource: DataSource): Promise<number> {
  const [row] = await dataSource.query<[{ servers: number }]>(`
    SELECT count(*)::int AS servers FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'bellwether-signals'`);
  return row.servers;
}

/** Opens and closes a connection beside the pool. A server at its limit of connections counts as one that answers. */
export async function opensConnection({ options }: DataSource, limitMs: number): Promise<boolean> {
  const { url } = options as { readonly url: string };
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: limitMs,
    application_name: 'bellwether-readiness',
  });
  // Without a listener, a connection lost after its start would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    return isTooManyConnections(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}
