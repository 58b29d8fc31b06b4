import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { migrations } from '../migrations';
import { AppModule } from './app.module';
import { terminalJson } from './kernel';
import type { Config } from './platform/config';
import { type OpenDatabase, openDatabase } from './platform/database';
import { createPino, StructuredLogger } from './platform/logging';

/** Standard output belongs to the result: a command logs warnings and worse to standard error. */
const commandLogger = (level: 'info' | 'warn' = 'warn'): StructuredLogger =>
  new StructuredLogger(createPino(level, { write: (line: string) => void process.stderr.write(terminalJson(line)) }));

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
  const context = await NestFactory.createApplicationContext(AppModule.of(config, { schema: 'check', share: true }), {
    abortOnError: false,
    logger: commandLogger(),
  });
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
