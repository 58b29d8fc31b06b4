import { Logger } from '@nestjs/common/services/logger.service.js';
import {
  DataSource,
  DefaultNamingStrategy,
  type EntityManager,
  type Logger as TypeOrmLogger,
  type MigrationInterface,
  type Table,
  getMetadataArgsStorage,
} from 'typeorm';
import { SafeClient } from './safe-client';
import { type RowSecurity, scopedClient } from './scoped-client';

export interface DatabaseConfig {
  /** `postgres://…`; null runs the embedded engine inside `dataDir`. */
  readonly url: string | null;
  /** Login that owns the tables, where `url` has another one. It migrates and changes the schema. */
  readonly ownerUrl?: string | null;
  /** The server itself, when `url` names a pooler in transaction mode. */
  readonly sessionUrl?: string | null;
  readonly dataDir: string;
  readonly poolSize: number;
}

/** A running transaction. Services only pass it on to repositories. */
export type Transaction = EntityManager;

export type MigrationClass = new () => MigrationInterface;

/**
 * `migrate` applies pending migrations. `check` refuses a schema that is not current, and migrates a new embedded
 * database. `skip` does neither.
 */
export type SchemaOnOpen = 'migrate' | 'check' | 'skip';

/** Logs warnings, never parameters: they are personal data and secrets. */
class TypeOrmLog implements TypeOrmLogger {
  private readonly logger = new Logger('Database');

  /** A migration that did not get its locks is tried again, which is told once. */
  logMigration(message: string): void {
    if (!/lock timeout|deadlock detected/.test(message)) this.logger.error(message);
  }

  log(level: 'log' | 'info' | 'warn', message: unknown): void {
    if (level === 'warn') this.logger.warn(String(message));
  }

  /** The caller logs the error with its request. */
  logQueryError(): void {}

  logQuery(): void {}

  /** The connection logs slow statements, with the ids of their run. */
  logQuerySlow(): void {}

  logSchemaBuild(): void {}
}

/** A primary key is named after its table, as in the migrations. */
class Names extends DefaultNamingStrategy {
  override primaryKeyName(table: Table | string): string {
    return `${this.getTableName(table)}_pk`;
  }
}

export interface DataSourceSettings {
  readonly url: string;
  readonly poolSize: number;
  readonly migrations: readonly MigrationClass[];
  /** Binds statements to the organization of their context. Absent for the owner of the tables. */
  readonly security?: RowSecurity;
  /** Milliseconds to wait for a free connection. An exhausted pool fails the request instead of queueing it. */
  readonly connectTimeout?: number;
  /** Milliseconds one statement may take; 0 for no limit. */
  readonly queryTimeout?: number;
}

const CONNECT_TIMEOUT = 1_500;
const QUERY_TIMEOUT = 30_000;
const IDLE_IN_TRANSACTION = 60_000;
/** Linux waits two hours before its first probe of a silent connection. */
const KEEP_ALIVE_DELAY = 10_000;
const LOST_LINE_MS = 60_000;

/** Every `@Entity` class that this process has imported. */
function importedEntities(): NewableFunction[] {
  return getMetadataArgsStorage()
    .tables.map(({ target }) => target)
    .filter((target): target is NewableFunction => typeof target === 'function');
}

/** All connections of a pool may be lost at once: a line a minute tells how many. */
function lostConnections(logger: Logger): (error: Error) => void {
  let toldAt = -Infinity;
  let others = 0;
  return ({ message }) => {
    others += 1;
    if (performance.now() - toldAt < LOST_LINE_MS) return;
    logger.warn({ msg: `An idle database connection was lost: ${message}`, others: others - 1 });
    toldAt = performance.now();
    others = 0;
  };
}

/** Returns a data source without a connection; `connect` opens it. */
export function createDataSource(settings: DataSourceSettings): DataSource {
  const queryTimeout = settings.queryTimeout ?? QUERY_TIMEOUT;
  const logger = new Logger('Database');
  return new DataSource({
    type: 'postgres',
    url: settings.url,
    entities: importedEntities(),
    namingStrategy: new Names(),
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
    poolErrorHandler: lostConnections(logger),
    extra: {
      Client: settings.security === undefined ? SafeClient : scopedClient(settings.security),
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY,
      query_timeout: queryTimeout,
      // The server also ends a statement that the client has given up on.
      statement_timeout: queryTimeout,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION,
    },
  });
}
