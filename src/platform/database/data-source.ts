import { Logger } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { DataSource, getMetadataArgsStorage } from 'typeorm';
import type { MigrationClass } from './database.types';
import { TypeOrmLog } from './typeorm-log';

export interface DataSourceSettings {
  readonly url: string;
  readonly poolSize: number;
  readonly migrations: readonly MigrationClass[];
  /** Milliseconds to wait for a free connection; the pool being exhausted is an answer, not a queue. */
  readonly connectTimeout?: number;
  /** Milliseconds one statement may take; 0 for no limit. */
  readonly queryTimeout?: number;
}

const CONNECT_TIMEOUT = 1_500;
const QUERY_TIMEOUT = 30_000;
const SLOW_STATEMENT = 1_000;
const IDLE_IN_TRANSACTION = 60_000;
const STUCK_AFTER = 1_000;

/** TypeORM's own register: every class under `@Entity` that this process has imported. */
function importedEntities(): NewableFunction[] {
  return getMetadataArgsStorage()
    .tables.map(({ target }) => target)
    .filter((target): target is NewableFunction => typeof target === 'function');
}

/** Not connected yet; `connect` does that. */
export function createDataSource(settings: DataSourceSettings): DataSource {
  const queryTimeout = settings.queryTimeout ?? QUERY_TIMEOUT;
  const logger = new Logger('Database');
  return new DataSource({
    type: 'postgres',
    url: settings.url,
    entities: importedEntities(),
    migrations: [...settings.migrations],
    migrationsTransactionMode: 'each',
    synchronize: false,
    // gen_random_uuid() is in every server since PostgreSQL 13; uuid-ossp is not.
    uuidExtension: 'pgcrypto',
    installExtensions: false,
    poolSize: settings.poolSize,
    connectTimeoutMS: settings.connectTimeout ?? CONNECT_TIMEOUT,
    applicationName: 'bellwether',
    logger: new TypeOrmLog(),
    maxQueryExecutionTime: SLOW_STATEMENT,
    poolErrorHandler: (error: Error) => logger.warn(`An idle database connection was lost: ${error.message}`),
    extra: {
      keepAlive: true,
      query_timeout: queryTimeout,
      // The server's own limits end what the client has given up on.
      statement_timeout: queryTimeout,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION,
    },
  });
}

interface BusyClient {
  readonly _activeQuery?: unknown;
  readonly connection: { readonly stream: { destroy(): void } };
}

/**
 * A query that ran into its client-side timeout still occupies its connection, and the next user would wait behind it.
 * Neither `pg` nor TypeORM drops such a connection, so this does. (After an ordinary error the connection is busy too,
 * but only until the server's next packet.)
 */
export function dropStuckConnections(dataSource: DataSource): void {
  const pool = (dataSource.driver as unknown as { master: Pool }).master;
  pool.on('release', (_error: Error, client: PoolClient) => {
    const pooled = client as unknown as BusyClient;
    const pending = pooled._activeQuery;
    if (!pending) return;
    setTimeout(() => {
      if (pooled._activeQuery === pending) pooled.connection.stream.destroy();
    }, STUCK_AFTER).unref();
  });
}
