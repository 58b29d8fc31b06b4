import { AppError, terminalJson } from '@bellwether/kernel';
import type { INestApplicationContext } from '@nestjs/common';
import { Logger } from '@nestjs/common/services/logger.service.js';
import { migrations } from '../../migrations';
import type { Config } from '../infrastructure/config';
import { createPino, StructuredLogger } from '../infrastructure/telemetry';
import { acrossOrganizations, type OpenDatabase, openDatabase, SchemaMismatchError } from '../infrastructure/postgres';
import type { Modules } from './create-application';

/** Omits the stack that Nest logs for a failed start: the command reports these errors in one sentence. */
class CommandLogger extends StructuredLogger {
  override error(message: unknown, ...rest: unknown[]): void {
    if (message instanceof SchemaMismatchError || message instanceof AppError) return;
    super.error(message, ...rest);
  }
}

/** Logs to standard error: standard output belongs to the result. */
const commandLogger = (level: 'info' | 'warn' = 'warn'): StructuredLogger =>
  new CommandLogger(createPino(level, { write: (line: string) => void process.stderr.write(terminalJson(line)) }));

export interface ApplicationOptions {
  /** Log each write at level `info`, except on a terminal, which shows the progress. */
  readonly logWrites?: boolean;
}

/** Runs work inside the application, without HTTP; on the embedded database it joins a running server. */
export async function withApplication<T>(
  config: Config,
  modules: Modules,
  work: (context: INestApplicationContext) => Promise<T>,
  { logWrites = false }: ApplicationOptions = {},
): Promise<T> {
  const { createApplication } = await import('./create-application.js');
  const context = await createApplication(config, modules, commandLogger());
  if (logWrites && !process.stderr.isTTY) context.useLogger(commandLogger('info'));
  try {
    return await acrossOrganizations('commands', () => work(context));
  } finally {
    await context.close();
  }
}

/** Opens the database without Nest and without a look at the schema. */
export async function withDatabase<T>(config: Config, work: (database: OpenDatabase) => Promise<T>): Promise<T> {
  Logger.overrideLogger(commandLogger());
  const database = await openDatabase(config.database, { migrations, schema: 'skip', share: true });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
