import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import type { Config } from 'jest';
import { compile } from './compiled';
import { TEST_DATABASES, TEST_DUMP } from './database';
import { embeddedDatabases, serverDatabases, type TestDatabases } from './test-databases';

declare global {
  var testDatabases: TestDatabases | undefined;
  var typeormMetadataArgsStorage: unknown;
}

/** Runs once for all projects that need a database, outside jest's sandbox, in which the engine cannot load itself. */
async function setUp({ maxWorkers }: { maxWorkers: NonNullable<Config['maxWorkers']> }): Promise<void> {
  Logger.overrideLogger(['warn', 'error']);
  compile();
  const server = process.env.TEST_DATABASE_URL;
  const count = Number(maxWorkers);
  globalThis.testDatabases = await (server ? serverDatabases(server, count) : embeddedDatabases(count));
  process.env[TEST_DATABASES] = JSON.stringify(globalThis.testDatabases.urls);
  if (globalThis.testDatabases.dump !== null) process.env[TEST_DUMP] = globalThis.testDatabases.dump;
  // Jest copies globals into every test file's sandbox: entities of one file would be known, in another realm, to the next.
  delete globalThis.typeormMetadataArgsStorage;
}

export = setUp;
