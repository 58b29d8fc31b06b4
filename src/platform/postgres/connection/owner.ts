import { Logger } from '@nestjs/common/services/logger.service.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { OperatorError } from '../../../kernel';
import { isLockConflict } from './postgres-errors';
import { SafeClient } from './safe-client';

/**
 * First statement of a transaction that changes tables. Requests queue behind a lock that waits. PostgreSQL looks for
 * deadlocks after 1 s, so the change gives up first and no request is ended for it.
 */
export const SHORT_WAITS = `SET LOCAL lock_timeout = '500ms'`;
const PATIENCE_S = 120;
const PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;

/** Repeats a change of tables in use until it gets its locks. @throws when that takes longer than two minutes. */
export async function untilLocked<T>(change: () => Promise<T>): Promise<T> {
  const logger = new Logger('Database');
  const deadline = performance.now() + PATIENCE_S * 1_000;
  for (let tries = 0; ; tries += 1) {
    try {
      return await change();
    } catch (error) {
      if (!isLockConflict(error)) throw error;
      if (performance.now() > deadline) {
        throw new OperatorError(
          `The schema could not be changed within ${PATIENCE_S} s, because long transactions keep its tables locked. ` +
            'Nothing is lost: start again when they have ended (pg_stat_activity lists them; a running pg_dump is one).',
          { cause: error },
        );
      }
      if (tries === 0) logger.log(`A change of the schema waits for running transactions, at most ${PATIENCE_S} s`);
      await sleep(Math.min(PAUSE_MS * 1.5 ** tries, LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2));
    }
  }
}

/**
 * A data source with one connection of the login that owns the tables, without time limits. Not connected yet. Without
 * entities: building their metadata takes longer than most work of an owner.
 */
export function ownerDataSource({ options }: DataSource, ownerUrl: string | null | undefined): DataSource {
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
