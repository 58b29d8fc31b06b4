import type { DataSource } from 'typeorm';

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

/** Servers that are connected to this database. Each holds a connection for signals; commands do not. */
export async function runningServers(dataSource: DataSource): Promise<number> {
  const [row] = await dataSource.query<[{ servers: number }]>(`
    SELECT count(*)::int AS servers FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'bellwether-signals'`);
  return row.servers;
}
