import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import type { Config } from 'jest';
import { TEST_DATABASES } from './database';
import { embeddedDatabases, serverDatabases, type TestDatabases } from './test-databases';

declare global {
  var testDatabases: TestDatabases | undefined;
}

/** Runs once for all projects that need a database, outside jest's sandbox, in which the engine cannot load itself. */
async function setUp({ maxWorkers }: { maxWorkers: NonNullable<Config['maxWorkers']> }): Promise<void> {
  Logger.overrideLogger(['warn', 'error']);
  const server = process.env.TEST_DATABASE_URL;
  const count = Number(maxWorkers);
  globalThis.testDatabases = await (server ? serverDatabases(server, count) : embeddedDatabases(count));
  process.env[TEST_DATABASES] = JSON.stringify(globalThis.testDatabases.urls);
}

export = setUp;
