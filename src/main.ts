#!/usr/bin/env node
import 'reflect-metadata';
import { ConfigError, loadConfig } from './platform/config';
import { createPino } from './platform/logging';
import { serve } from './serve';

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const logger = createPino(config.log.level);
  const service = await serve(config, logger);
  console.log(`Bellwether answers on ${service.url}`);

  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ signal }, 'stopping');
    service.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.fatal({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

main().catch((error: unknown) => {
  const text =
    error instanceof ConfigError
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
});
