import type { DataSource } from 'typeorm';
import { serviceVersion } from '../../platform/config';
import { databaseFigures } from '../../platform/database';
import { finding } from './findings';
import type { Finding } from './finding.types';

const MEGABYTE = 1024 * 1024;
const OLDEST_POSTGRES = 15;
const OLDEST_NODE = [20, 19] as const;
const SLOW_MS = 250;
const CLOCK_OFF_MS = 2_000;
/** Tokens of single sign-on are refused beyond this. */
const CLOCK_WRONG_MS = 30_000;

export async function checkDatabase(dataSource: DataSource): Promise<Finding> {
  const { version, bytes } = await databaseFigures(dataSource);
  const startedAt = performance.now();
  await dataSource.query('SELECT 1');
  const ms = Math.round(performance.now() - startedAt);
  if (Number.parseInt(version, 10) < OLDEST_POSTGRES) return finding('database.old', { version });
  if (ms > SLOW_MS) return finding('database.slow', { ms });
  return finding('database.ok', { version, ms, megabytes: Math.round(bytes / MEGABYTE) });
}

/** Half of the way to the database and back is taken for the time of its answer. */
export async function checkClock(dataSource: DataSource): Promise<Finding> {
  const sentAt = Date.now();
  const [{ now }] = await dataSource.query<[{ now: number }]>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
  );
  const offMs = Math.round(Math.abs(now - (sentAt + Date.now()) / 2));
  const seconds = Math.round(offMs / 1_000);
  if (offMs > CLOCK_WRONG_MS) return finding('clock.wrong', { seconds });
  return offMs > CLOCK_OFF_MS ? finding('clock.off', { seconds }) : finding('clock.ok', { ms: offMs });
}

/** `usesVectors` null: there is no process that would use them. */
export async function checkVectors(dataSource: DataSource, usesVectors: boolean | null): Promise<Finding> {
  const [row] = await dataSource.query<{ installed: string | null }[]>(
    `SELECT installed_version AS installed FROM pg_available_extensions WHERE name = 'vector'`,
  );
  if (row === undefined) return finding('vectors.missing');
  if (row.installed === null) return finding('vectors.not_installed');
  return usesVectors === false ? finding('vectors.restart') : finding('vectors.ok', { version: row.installed });
}

export function checkVersions(node = process.versions.node): Finding {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  return isOld ? finding('versions.node', { node }) : finding('versions.ok', { service: serviceVersion(), node });
}
