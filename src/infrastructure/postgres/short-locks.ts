import { OperatorError } from '@bellwether/kernel';
import { Logger } from '@nestjs/common/services/logger.service.js';
import { setTimeout as sleep } from 'node:timers/promises';

/** Deadlock, or a lock that was not granted in time: the same transaction may succeed later. */
const LOCK_CONFLICTS: readonly unknown[] = ['40P01', '55P03'];

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
      if (!LOCK_CONFLICTS.includes((error as { code?: unknown }).code)) throw error;
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
