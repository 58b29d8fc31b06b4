import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_DUMP } from './database';

/**
 * A data directory of the service as an earlier start has left it: an embedded database that is migrated and empty. A first
 * start, which makes the cluster, takes three times as long. It has no database when the tests run on a server.
 */
export function preparedDataDir(prefix: string): string {
  const dataDir = mkdtempSync(join(tmpdir(), prefix));
  const dump = process.env[TEST_DUMP];
  if (dump !== undefined) unpack(dump, join(dataDir, 'postgres'));
  return dataDir;
}

/** The files of a cluster, as the engine dumps them. */
export function unpack(dump: string, directory: string): void {
  mkdirSync(directory, { mode: 0o700 });
  // Names in it begin with a slash, which tar leaves out and says so.
  execFileSync('tar', ['-xf', dump, '-C', directory], { stdio: ['ignore', 'ignore', 'ignore'] });
}
