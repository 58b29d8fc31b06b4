import { setTimeout as sleep } from 'node:timers/promises';
import { isNativeError } from 'node:util/types';
import { runningEmbeddedUrl, startEmbedded } from '@bellwether/embedded-postgres';
import { OperatorError } from '@bellwether/kernel';
import { Logger } from '@nestjs/common/services/logger.service.js';
import type { DataSource } from 'typeorm';
import { keepPrivate } from '../../config';
import {
  type RowSecurityState,
  enforceRowSecurity,
  loginOf,
  protectedTables,
  rowSecurityState,
  warnAbsent,
} from './enforce';
import { type DatabaseConfig, type MigrationClass, type SchemaOnOpen, createDataSource } from './data-source';
import { asOwner, migrate } from './migrate';
import { isDatabaseUnavailable, startErrorOf } from './postgres-errors';
import { assertSchemaIsUsable, schemaIsEmpty } from './schema';
import { type RowSecurity, TableWrites } from './scoped-client';

export interface ConnectOptions {
  /** Milliseconds during which failed connections are retried. */
  readonly patience?: number;
  /** Milliseconds between two tries. */
  readonly pause?: number;
}

/** Retrying cannot help: wrong password, no such role, no such database. */
const HOPELESS = ['28P01', '28000', '3D000'];

/** Connects, and retries while the server is still starting. */
export async function connect(dataSource: DataSource, options: ConnectOptions = {}): Promise<void> {
  const { patience = 60_000, pause = 1_000 } = options;
  const logger = new Logger('Database');
  const deadline = performance.now() + patience;
  for (;;) {
    try {
      await dataSource.initialize();
      return;
    } catch (error) {
      const { code, message } = describe(error);
      if (HOPELESS.includes(code))
        throw new OperatorError(`The database refuses the connection: ${message}`, { cause: error });
      if (startErrorOf(error) !== error || !isDatabaseUnavailable(error)) throw startErrorOf(error);
      const left = Math.ceil((deadline - performance.now()) / 1_000);
      if (left <= 0) {
        throw new OperatorError(`The database did not answer within ${patience / 1_000} s: ${message}`, {
          cause: error,
        });
      }
      logger.warn(`The database does not answer yet (${message}); trying again for ${left} s`);
      await sleep(pause);
    }
  }
}

/** A refused connection to a name with several addresses is an AggregateError without a message of its own. */
function describe(error: unknown): { code: string; message: string } {
  if (!isNativeError(error)) return { code: '', message: String(error) };
  const { code } = error as Error & { code?: unknown };
  const text = typeof code === 'string' ? code : '';
  return { code: text, message: error.message || text || error.name };
}

export interface OpenOptions {
  readonly migrations: readonly MigrationClass[];
  readonly schema: SchemaOnOpen;
  /** True for operator commands: they join the embedded engine of a running server. False (default) refuses. */
  readonly share?: boolean;
  /** True for the service: statements are bound to the organization of their context. False (default) acts as owner. */
  readonly bound?: boolean;
}

export interface OpenDatabase {
  readonly dataSource: DataSource;
  /** Login of the service. */
  readonly login: string;
  /** Whether PostgreSQL separates organizations, and why not. */
  readonly rowSecurity: RowSecurityState;
  /** Tells which tables the service's connections have written. Nothing unless `bound`. */
  readonly writes: TableWrites;
  /** `shared`: the embedded engine of another process. */
  readonly engine: 'server' | 'embedded' | 'shared';
  /** Runs `work` on a connection of its own, as the owner of the tables. For changes of the schema. */
  asOwner<T>(work: (owner: DataSource) => Promise<T>): Promise<T>;
  /** Gives new tables their policies. */
  enforceRowSecurity(): Promise<void>;
  /** Closes the connections, then our own engine. */
  close(): Promise<void>;
}

interface Target {
  readonly url: string;
  /** Connection URL of the owner of the tables, when it has another login or address. */
  readonly ownerUrl: string | null;
  readonly engine: OpenDatabase['engine'];
  stop(): Promise<void>;
}

/** The engine accepts no connection while a long statement runs. */
const EMBEDDED_CONNECT_TIMEOUT = 5_000;

/** Opens the database for the server, commands and tests. */
export async function openDatabase(config: DatabaseConfig, options: OpenOptions): Promise<OpenDatabase> {
  const target = await findTarget(config, options.share ?? false);
  try {
    return await openTarget(target, config.poolSize, options);
  } catch (error) {
    await target.stop();
    throw startErrorOf(error);
  }
}

async function openTarget(target: Target, poolSize: number, options: OpenOptions): Promise<OpenDatabase> {
  const { engine, ownerUrl } = target;
  const writes = new TableWrites();
  const security = options.bound === true ? { enforced: false, tables: new Set<string>(), writes } : null;
  const dataSource = createDataSource({
    url: security === null ? (ownerUrl ?? target.url) : target.url,
    ...(security === null ? {} : { security }),
    poolSize,
    migrations: options.migrations,
    ...(engine === 'server' ? {} : { connectTimeout: EMBEDDED_CONNECT_TIMEOUT }),
  });
  await connect(dataSource);
  try {
    await prepareSchema(dataSource, target, options.schema);
    const login = (security === null && ownerUrl !== null && loginIn(target.url)) || (await loginOf(dataSource));
    const rowSecurity = await rowSecurityState(dataSource, login);
    if (security !== null) await bind(dataSource, security, rowSecurity);
    return {
      dataSource,
      engine,
      login,
      rowSecurity,
      writes,
      asOwner: (work) => asOwner(dataSource, ownerUrl, work),
      enforceRowSecurity: () => asOwner(dataSource, ownerUrl, (owner) => enforceRowSecurity(owner, login)),
      close: async () => {
        if (dataSource.isInitialized) await dataSource.destroy();
        await target.stop();
      },
    };
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

/** Empty where the environment of the process names it. */
const loginIn = (url: string): string => decodeURIComponent(new URL(url).username);

async function prepareSchema(dataSource: DataSource, target: Target, schema: SchemaOnOpen): Promise<void> {
  if (schema === 'migrate') await migrate(dataSource, { url: target.ownerUrl });
  if (schema !== 'check') return;
  // A new embedded database has no other user: a first command may make its schema, like a first start.
  if (target.engine === 'embedded' && (await schemaIsEmpty(dataSource))) await migrate(dataSource);
  await assertSchemaIsUsable(dataSource);
}

/** From here on, statements are bound to the organization of their context. */
async function bind(dataSource: DataSource, security: RowSecurity, state: RowSecurityState): Promise<void> {
  if (!state.enforced) return warnAbsent(state);
  security.tables = new Set(await protectedTables(dataSource));
  security.enforced = true;
}

async function findTarget(config: DatabaseConfig, share: boolean): Promise<Target> {
  const { url, dataDir } = config;
  const stop = (): Promise<void> => Promise.resolve();
  // The lock of migrations is held by a session, which a pooler in transaction mode does not keep.
  if (url !== null) return { url, ownerUrl: config.ownerUrl ?? config.sessionUrl ?? null, engine: 'server', stop };
  const running = share ? await runningEmbeddedUrl(dataDir) : null;
  if (running !== null) return { url: running, ownerUrl: null, engine: 'shared', stop };
  const embedded = await startEmbedded({ dataDir, keepPrivate, logger: new Logger('EmbeddedDatabase') });
  new Logger('Database').log(`Embedded PostgreSQL runs in ${dataDir}`);
  return { url: embedded.url, ownerUrl: null, engine: 'embedded', stop: () => embedded.close() };
}
