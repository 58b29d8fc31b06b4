import type { INestApplicationContext, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module';
import type { Config } from '../platform/config';

/** In a file of its own: loading every room takes seconds, which commands of the database alone do not spend. */
export const createApplication = (config: Config, logger: LoggerService): Promise<INestApplicationContext> =>
  NestFactory.createApplicationContext(AppModule.of(config, { schema: 'check', share: true }), {
    abortOnError: false,
    logger,
  });
