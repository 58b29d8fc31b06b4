import { type OpenDatabase, databaseFigures, databaseRoundTrip, vectorExtension } from '../postgres';
import { type Finding, finding } from './findings';

type Database = Pick<OpenDatabase, 'dataSource'>;

const MEGABYTE = 1024 * 1024;
const OLDEST_POSTGRES = 15;
const SLOW_MS = 250;
const CLOCK_OFF_MS = 2_000;
/** Tokens of single sign-on are refused beyond this. */
const CLOCK_WRONG_MS = 30_000;

export async function checkDatabase({ dataSource }: Database): Promise<Finding> {
  const { version, bytes } = await databaseFigures(dataSource);
  if (Number.parseInt(version, 10) < OLDEST_POSTGRES) return finding('database.old', { version });
  const { ms } = await databaseRoundTrip(dataSource);
  if (ms > SLOW_MS) return finding('database.slow', { ms });
  return finding('database.ok', { version, ms, megabytes: Math.round(bytes / MEGABYTE) });
}

export const checkClock = async ({ dataSource }: Database): Promise<Finding> =>
  clockFinding((await databaseRoundTrip(dataSource)).clockOffsetMs);

export function clockFinding(offsetMs: number): Finding {
  const seconds = Math.round(offsetMs / 1_000);
  if (offsetMs > CLOCK_WRONG_MS) return finding('clock.wrong', { seconds });
  return offsetMs > CLOCK_OFF_MS ? finding('clock.off', { seconds }) : finding('clock.ok', { ms: offsetMs });
}

/** `usesVectors` null: there is no process that would use them. */
export async function checkVectors({ dataSource }: Database, usesVectors: boolean | null): Promise<Finding> {
  const version = await vectorExtension(dataSource);
  if (version === undefined) return finding('vectors.missing');
  if (version === null) return finding('vectors.not_installed');
  return usesVectors === false ? finding('vectors.restart') : finding('vectors.ok', { version });
}
