import { Logger } from '@nestjs/common/services/logger.service.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { SafeClient } from './safe-client';
import { SchemaMismatchError, schemaStatus } from './schema';

/** Every replica must use the same number. */
const LOCK_KEY = 7_365_401_932;
const POLL = 250;

const logger = new Logger('Database');

/**
 * Applies each pending migration in its own transaction, one replica at a time. Returns their names.
 * @throws {SchemaMismatchError} when the schema is newer than this build.
 */
export function migrate(dataSource: DataSource): Promise<string[]> {
  return exclusively(dataSource, async (worker) => {
    const status = await schemaStatus(worker);
    if (status.unknown.length > 0) throw new SchemaMismatchError(status);
    if (status.pending.length === 0) return [];
    const done = await worker.runMigrations({ transaction: 'each' });
    logger.log(`Applied ${done.length} migrations, the last one is ${done.at(-1)?.name}`);
    return done.map(({ name }) => name);
  });
}

/** Reverts the last applied migration. Returns its name, or null when there is none. */
export function revertLast(dataSource: DataSource): Promise<string | null> {
  return exclusively(dataSource, async (worker) => {
    const { applied } = await schemaStatus(worker);
    const last = applied.at(-1);
    if (last === undefined) return null;
    await worker.undoLastMigration({ transaction: 'each' });
    return last;
  });
}

/**
 * The lock has a connection of its own, which ends with the process. The work has another one without time limits. The
 * embedded engine grants the lock to everyone: there the lock of the data directory serialises.
 */
async function exclusively<T>(dataSource: DataSource, work: (worker: DataSource) => Promise<T>): Promise<T> {
  const { options } = dataSource;
  if (options.type !== 'postgres' || !options.url) throw new Error('Migrations need a data source with a URL');
  const lock = new Client({ connectionString: options.url, application_name: 'bellwether-migrations' });
  // Migrations are SQL: building the metadata of entities takes longer than reading the schema.
  const worker = new DataSource({ ...options, entities: [], poolSize: 1, extra: { Client: SafeClient } });
  // Without a listener a lost connection would end the process in the middle of a migration.
  lock.on('error', (error) => logger.warn(`The connection that holds the migration lock was lost: ${error.message}`));
  await lock.connect();
  try {
    await waitForLock(lock);
    await worker.initialize();
    return await work(worker);
  } finally {
    if (worker.isInitialized) await worker.destroy();
    await lock.query('SELECT pg_advisory_unlock($1)', [LOCK_KEY]).catch(() => undefined);
    await lock.end();
  }
}

/** Polled: a blocked statement could not log that it waits. */
async function waitForLock(lock: Client): Promise<void> {
  for (let told = false; ; told = true) {
    const { rows } = await lock.query<{ granted: boolean }>('SELECT pg_try_advisory_lock($1) AS granted', [LOCK_KEY]);
    if (rows[0]?.granted) return;
    if (!told) logger.log('Another process is migrating the schema; waiting for it');
    await sleep(POLL);
  }
}
