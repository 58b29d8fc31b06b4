import type { INestApplicationContext } from '@nestjs/common';
import { migrations } from '../../migrations';
import { AppError, terminalJson } from '../kernel';
import type { Config } from '../platform/config';
import { type OpenDatabase, openDatabase, SchemaMismatchError } from '../platform/database';
import { createPino, StructuredLogger } from '../platform/logging';

/** Nest logs why a start failed, with its stack. The command itself says it in one sentence where it is not a bug. */
class CommandLogger extends StructuredLogger {
  override error(message: unknown, ...rest: unknown[]): void {
    if (message instanceof SchemaMismatchError || message instanceof AppError) return;
    super.error(message, ...rest);
  }
}

/** Standard output belongs to the result: a command logs warnings and worse to standard error. */
const commandLogger = (level: 'info' | 'warn' = 'warn'): StructuredLogger =>
  new CommandLogger(createPino(level, { write: (line: string) => void process.stderr.write(terminalJson(line)) }));

export interface ApplicationOptions {
  /** What is written is logged, a line for each; on a terminal people see its progress instead. */
  readonly logWrites?: boolean;
}

/** Runs work inside the application, without HTTP; on the embedded database it joins a running server. */
export async function withApplication<T>(
  config: Config,
  work: (context: INestApplicationContext) => Promise<T>,
  { logWrites = false }: ApplicationOptions = {},
): Promise<T> {
  const { createApplication } = await import('./create-application.js');
  const context = await createApplication(config, commandLogger());
  if (logWrites && !process.stderr.isTTY) context.useLogger(commandLogger('info'));
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}

/** The database alone, whatever its schema. */
export async function withDatabase<T>(config: Config, work: (database: OpenDatabase) => Promise<T>): Promise<T> {
  const database = await openDatabase(config.database, { migrations, schema: 'skip', share: true });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
