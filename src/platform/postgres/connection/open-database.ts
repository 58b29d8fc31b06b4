import { Logger } from '@nestjs/common/services/logger.service.js';
import type { DataSource } from 'typeorm';
import { connect } from './connect';
import { createDataSource } from './data-source';
import type { DatabaseConfig, MigrationClass, SchemaOnOpen } from './database.types';
import { runningEmbeddedUrl, startEmbedded } from '../embedded';
import { migrate } from './migrate';
import { assertSchemaIsCurrent, schemaIsEmpty } from './schema';

export interface OpenOptions {
  readonly migrations: readonly MigrationClass[];
  readonly schema: SchemaOnOpen;
  /** True for operator commands: they join the embedded engine of a running server. False (default) refuses. */
  readonly share?: boolean;
}

export interface OpenDatabase {
  readonly dataSource: DataSource;
  /** `shared`: the embedded engine of another process. */
  readonly engine: 'server' | 'embedded' | 'shared';
  /** Closes the connections, then our own engine. */
  close(): Promise<void>;
}

interface Target {
  readonly url: string;
  readonly engine: OpenDatabase['engine'];
  stop(): Promise<void>;
}

/** The engine accepts no connection while a long statement runs. */
const EMBEDDED_CONNECT_TIMEOUT = 5_000;

/** Opens the database for the server, commands and tests. */
export async function openDatabase(config: DatabaseConfig, options: OpenOptions): Promise<OpenDatabase> {
  const target = await findTarget(config, options.share ?? false);
  try {
    const dataSource = createDataSource({
      url: target.url,
      poolSize: config.poolSize,
      migrations: options.migrations,
      ...(target.engine === 'server' ? {} : { connectTimeout: EMBEDDED_CONNECT_TIMEOUT }),
    });
    await connect(dataSource);
    const close = async (): Promise<void> => {
      if (dataSource.isInitialized) await dataSource.destroy();
      await target.stop();
    };
    try {
      if (options.schema === 'migrate') await migrate(dataSource);
      if (options.schema === 'check') {
        // A new embedded database has no other user: a first command may make its schema, like a first start.
        if (target.engine === 'embedded' && (await schemaIsEmpty(dataSource))) await migrate(dataSource);
        await assertSchemaIsCurrent(dataSource);
      }
    } catch (error) {
      await dataSource.destroy();
      throw error;
    }
    return { dataSource, engine: target.engine, close };
  } catch (error) {
    await target.stop();
    throw error;
  }
}

async function findTarget({ url, dataDir }: DatabaseConfig, share: boolean): Promise<Target> {
  const stop = (): Promise<void> => Promise.resolve();
  if (url !== null) return { url, engine: 'server', stop };
  const running = share ? await runningEmbeddedUrl(dataDir) : null;
  if (running !== null) return { url: running, engine: 'shared', stop };
  const embedded = await startEmbedded({ dataDir });
  new Logger('Database').log(`Embedded PostgreSQL runs in ${dataDir}`);
  return { url: embedded.url, engine: 'embedded', stop: () => embedded.close() };
}
