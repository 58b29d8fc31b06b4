import { Logger } from '@nestjs/common/services/logger.service.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { isNativeError } from 'node:util/types';
import type { DataSource } from 'typeorm';
import { OperatorError } from '../../../kernel';
import { isDatabaseUnavailable, startErrorOf } from './postgres-errors';

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
