import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '@bellwether/kernel';
import { Logger } from '@nestjs/common/services/logger.service.js';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { dropPolicies, enforceRowSecurity, loginOf } from './enforce';
import { SHORT_WAITS, untilLocked } from '../short-locks';
import { SafeClient } from './safe-client';
import { SchemaMismatchError, isBaseline, isHalfway, isUsable, numberOf, schemaStatus } from './schema';

/**
 * A data source with one connection of the login that owns the tables, without time limits. Not connected yet. Without
 * entities: building their metadata takes longer than most work of an owner.
 */
function ownerDataSource({ options }: DataSource, ownerUrl: string | null | undefined): DataSource {
  if (options.type !== 'postgres' || !options.url)
    throw new Error('The owner of the tables needs a data source with a URL');
  return new DataSource({
    ...options,
    url: ownerUrl ?? options.url,
    entities: [],
    poolSize: 1,
    extra: { Client: SafeClient },
  });
}

/** Runs `work` on a connection of its own, as the owner of the tables: policies do not hold for it. */
export async function asOwner<T>(
  dataSource: DataSource,
  ownerUrl: string | null | undefined,
  work: (owner: DataSource) => Promise<T>,
): Promise<T> {
  const owner = await ownerDataSource(dataSource, ownerUrl).initialize();
  try {
    return await work(owner);
  } finally {
    await owner.destroy();
  }
}

/** Every replica must use the same number. */
const LOCK_KEY = 7_365_401_932;
const POLL = 250;

export interface Owner {
  /** Login that owns the tables; absent: the one of the data source. */
  readonly url?: string | null;
  /** Login of the service; absent: the one of the data source. */
  readonly login?: string;
}

const logger = new Logger('Database');

/**
 * Applies each pending migration in its own transaction, one replica at a time. Returns their names. Other builds may
 * serve meanwhile: a change that does not get its locks at once lets them go first and is tried again.
 * @throws {SchemaMismatchError} when the schema is newer than this build, which cannot use it.
 */
export async function migrate(dataSource: DataSource, owner: Owner = {}): Promise<string[]> {
  assertOrder(dataSource.migrations.map((migration) => migration.name ?? migration.constructor.name));
  const login = owner.login ?? (await loginOf(dataSource));
  return exclusively(dataSource, owner.url, async (worker) => {
    const status = await schemaStatus(worker);
    if (status.unknown.length > 0) {
      if (!isUsable(status)) throw new SchemaMismatchError(status);
      // The newer build has also created the policies. Those of this build may be older.
      logger.warn(`A newer build has added to the schema; this build does not need it: ${status.unknown.join(', ')}`);
      return [];
    }
    if (isHalfway(status)) throw new SchemaMismatchError(status);
    if (status.earlier.length > 0) await markBaselines(worker, status.pending.filter(isBaseline));
    const { pending } = await schemaStatus(worker);
    if (pending.length > 0) {
      await untilLocked(() => worker.runMigrations({ transaction: 'each' }));
      logger.log(`Applied ${pending.length} migrations, the last one is ${pending.at(-1)}`);
    }
    await enforceRowSecurity(worker, login);
    return [...status.pending];
  });
}

/** One statement, so all or none. The earlier migrations have made the tables. */
async function markBaselines(worker: DataSource, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await worker.query(
    `INSERT INTO migrations (timestamp, name)
     SELECT number, name FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS t (number, name, place) ORDER BY place`,
    [names.map(numberOf), names],
  );
  logger.log(`Earlier migrations have made the tables of ${names.length} baselines, which are marked as applied`);
}

/**
 * Reverts the last applied migration. Returns its name, or null when there is none.
 * @throws {OperatorError} when only baselines are left.
 */
export async function revertLast(dataSource: DataSource, owner: Owner = {}): Promise<string | null> {
  const login = owner.login ?? (await loginOf(dataSource));
  return exclusively(dataSource, owner.url, async (worker) => {
    const { applied } = await schemaStatus(worker);
    const last = applied.at(-1);
    if (last === undefined) return null;
    if (isBaseline(last)) throw new OperatorError(`${last} made the tables of a module. It cannot be reverted.`);
    await dropPolicies(worker);
    try {
      await untilLocked(() => worker.undoLastMigration({ transaction: 'each' }));
    } finally {
      await enforceRowSecurity(worker, login);
    }
    return last;
  });
}

/**
 * The lock has a connection of its own, which ends with the process. The work has another one without time limits. The
 * embedded engine grants the lock to everyone: there the lock of the data directory serialises.
 */
async function exclusively<T>(
  dataSource: DataSource,
  ownerUrl: string | null | undefined,
  work: (worker: DataSource) => Promise<T>,
): Promise<T> {
  const worker = ownerDataSource(dataSource, ownerUrl);
  const { url } = worker.options as { readonly url: string };
  const lock = new Client({ connectionString: url, application_name: 'bellwether-migrations' });
  // Without a listener a lost connection would end the process in the middle of a migration.
  lock.on('error', (error) => logger.warn(`The connection that holds the migration lock was lost: ${error.message}`));
  await lock.connect();
  try {
    await waitForLock(lock);
    await worker.initialize();
    limitWaits(worker);
    return await work(worker);
  } finally {
    if (worker.isInitialized) await worker.destroy();
    await lock.query('SELECT pg_advisory_unlock($1)', [LOCK_KEY]).catch(() => undefined);
    await lock.end();
  }
}

/**
 * TypeORM applies migrations by the numbers at the end of their names.
 * @throws when a new database would apply them in another order than they are listed in.
 */
export function assertOrder(names: readonly string[]): void {
  names.reduce((before, name) => {
    if (numberOf(name) > numberOf(before)) return name;
    throw new Error(
      `${name} follows ${before} in migrations/index.ts, but its number is not higher: a new database would apply it ` +
        `first. Give its file, class and name the number ${numberOf(before) + 1}.`,
    );
  }, '0000000000000');
}

/** Outside a transaction (`CREATE INDEX CONCURRENTLY`), waiting blocks no request. */
function limitWaits({ migrations }: DataSource): void {
  for (const migration of migrations) {
    const [up, down] = [migration.up.bind(migration), migration.down.bind(migration)];
    migration.up = async (runner) => {
      if (migration.transaction !== false) await runner.query(SHORT_WAITS);
      await up(runner);
    };
    migration.down = async (runner) => {
      await runner.query(SHORT_WAITS);
      await down(runner);
    };
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
