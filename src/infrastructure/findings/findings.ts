import { mkdir, mkdtemp, rmdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { serviceVersion } from '../config';
import {
  type OpenDatabase,
  type RowSecurityState,
  databaseFigures,
  databaseRoundTrip,
  vectorExtension,
} from '../postgres';

type Database = Pick<OpenDatabase, 'dataSource'>;
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

const MEGABYTE = 1024 * 1024;
/** Below this, the next upload or vacuum may fail. */
const FULL = 256 * MEGABYTE;
const LITTLE = 1024 * MEGABYTE;
const LITTLE_SHARE = 0.05;

/** Makes and removes a folder: permissions do not show a file system that is mounted read-only. */
export async function checkDisk(dataDir: string): Promise<Finding> {
  try {
    // The first upload would make it.
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await rmdir(await mkdtemp(join(dataDir, '.health-')));
  } catch (error) {
    return finding('disk.read_only', { reason: (error as NodeJS.ErrnoException).code ?? 'unknown' });
  }
  const { bavail, blocks, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const megabytes = Math.round(free / MEGABYTE);
  if (free < FULL) return finding('disk.full', { megabytes });
  return free < LITTLE && bavail < blocks * LITTLE_SHARE
    ? finding('disk.little', { megabytes })
    : finding('disk.ok', { megabytes });
}

const OLDEST_NODE = [20, 19] as const;
const OWN_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export function checkVersions(node = process.versions.node): Finding {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  return isOld ? finding('versions.node', { node }) : finding('versions.ok', { service: serviceVersion(), node });
}

/** Nothing leaves the machine at an address of its own. */
export function checkAddress(publicUrl: string | null): readonly Finding[] {
  if (publicUrl === null) return [];
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'http:' && !OWN_MACHINE.has(hostname) ? [finding('address.plain')] : [];
}

/** `missing`: ids of operator keys that stored secrets need. */
export const checkSecrets = ({ missing }: { readonly missing: readonly string[] }): Finding =>
  missing.length === 0 ? finding('secrets.ok') : finding('secrets.missing', { keys: missing.join(', ') });

export const checkRowSecurity = (state: RowSecurityState): readonly Finding[] =>
  state.enforced ? [] : [finding('row_security.off', { reason: state.reason })];

/** Best first. A notice tells what could be better and needs nobody. */
export const HEALTH_STATES = ['ok', 'notice', 'warning', 'error'] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

type FindingValues = Readonly<Record<string, string | number>>;

/** A line of the command `doctor`, with its member in the JSON object. */
export interface DoctorCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
  readonly data: unknown;
}

/** Result of one check. */
export interface Finding {
  /** Stable; the part before the dot names the check. */
  readonly code: string;
  readonly state: HealthState;
  /** English text. Programs word `code` and `values` in the reader's language. */
  readonly text: string;
  /** The next step; null where nothing is to do. */
  readonly next: string | null;
  readonly values: FindingValues;
  /** Slug of the organization that it concerns; null for the whole installation. */
  readonly organization: string | null;
}

export const worstOf = (findings: readonly Finding[]): HealthState =>
  findings.reduce<HealthState>(
    (worst, { state }) => (HEALTH_STATES.indexOf(state) > HEALTH_STATES.indexOf(worst) ? state : worst),
    'ok',
  );

interface Wording {
  readonly state: HealthState;
  readonly text: string;
  readonly next?: string;
}

/** Every finding. The web UI has the same codes in each of its languages: test/contract/health-texts.spec.ts. */
export const FINDINGS = {
  'database.ok': {
    state: 'ok',
    text: 'PostgreSQL {version} answers in {ms} ms. The database has {megabytes} MB.',
  },
  'database.slow': {
    state: 'warning',
    text: 'The database needs {ms} ms for an empty statement, so every page is slow.',
    next: 'Look at the load of the database server, and at the network between it and the service.',
  },
  'database.old': {
    state: 'error',
    text: 'PostgreSQL {version} is older than version 15, which the service needs.',
    next: 'Upgrade the database server.',
  },
  'vectors.ok': {
    state: 'ok',
    text: 'The extension pgvector {version} is there: knowledge bases can be searched by meaning.',
  },
  'vectors.not_installed': {
    state: 'notice',
    text: 'The extension pgvector is not installed in the database: knowledge bases are searched by words only.',
    next: 'As an administrator of the database, run CREATE EXTENSION vector. Then restart the service.',
  },
  'vectors.missing': {
    state: 'notice',
    text: 'The database server has no pgvector: knowledge bases are searched by words only.',
    next: 'Install pgvector on the database server, then restart the service.',
  },
  'vectors.restart': {
    state: 'warning',
    text: 'pgvector was installed after this process had started, which does not use it yet.',
    next: 'Restart the service.',
  },
  'queue.ok': { state: 'ok', text: 'Work in the background begins within {seconds} s.' },
  'queue.late': {
    state: 'warning',
    text: 'Work in the background waits for {minutes} min (queue {queue}): documents and answers come late.',
    next: 'See whether a process is missing or a vendor is slow. RUN_CONCURRENCY and INGESTION_CONCURRENCY set how much runs at once.',
  },
  'queue.stuck': {
    state: 'error',
    text: 'Work in the background has waited for {minutes} min (queue {queue}).',
    next: 'See whether any process runs and is ready (/health/ready), then look for "no jobs could be fetched" in the log.',
  },
  'queue.failed': {
    state: 'warning',
    text: '{count} jobs of the queue {queue} failed for good within the last hour.',
    next: 'Look for "a job failed" in the log. A knowledge base shows its failed documents with the reason.',
  },
  'queue.unknown': {
    state: 'warning',
    text: 'The queues could not be read.',
    next: 'Look for "sizes and queues could not be measured" in the log.',
  },
  'disk.ok': { state: 'ok', text: '{megabytes} MB are free in the data folder.' },
  'disk.little': {
    state: 'warning',
    text: 'Only {megabytes} MB are free in the data folder. Uploads fail when it is full.',
    next: 'Free some space, or move DATA_DIR to a larger disk.',
  },
  'disk.full': {
    state: 'error',
    text: 'Only {megabytes} MB are free in the data folder: the next upload may fail.',
    next: 'Free some space now, or move DATA_DIR to a larger disk.',
  },
  'disk.read_only': {
    state: 'error',
    text: 'The data folder cannot be written ({reason}): uploads fail.',
    next: 'See who owns DATA_DIR, and whether its file system is mounted read-only.',
  },
  'bucket.ok': {
    state: 'ok',
    text: 'The service can write, read, list and delete objects in the bucket {bucket} ({ms} ms).',
  },
  'bucket.unreachable': {
    state: 'error',
    text: 'The store with the bucket {bucket} does not answer ({reason}): uploads fail, and files in it cannot be read.',
    next: 'Check S3_ENDPOINT and S3_REGION, and whether the service can reach that address over the network.',
  },
  'bucket.failing': {
    state: 'error',
    text: 'The store answers with an error for the bucket {bucket} ({reason}): uploads fail.',
    next: 'Check that S3_REGION is the region of the bucket. The documentation of the store explains the name of the error.',
  },
  'bucket.refused': {
    state: 'error',
    text: 'The store denies the service access to the bucket {bucket} ({reason}): uploads fail, and files in it cannot be read.',
    next: 'Check S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY. The key must be allowed to list the bucket, and to read, write and delete objects.',
  },
  'bucket.missing_bucket': {
    state: 'error',
    text: 'The store has no bucket {bucket}: uploads fail.',
    next: 'Create the bucket, or correct S3_BUCKET. S3_PATH_STYLE may have to be true.',
  },
  'clock.ok': { state: 'ok', text: 'The clocks of service and database differ by {ms} ms.' },
  'clock.off': {
    state: 'warning',
    text: 'The clocks of service and database differ by {seconds} s.',
    next: 'Let both machines take the time from the same server (NTP).',
  },
  'clock.wrong': {
    state: 'error',
    text: 'The clocks of service and database differ by {seconds} s: single sign-on and links may be refused.',
    next: 'Let both machines take the time from the same server (NTP).',
  },
  'versions.ok': { state: 'ok', text: 'Bellwether {service}, Node.js {node}.' },
  'versions.node': {
    state: 'warning',
    text: 'Node.js {node} is older than version 20.19, which the service needs.',
    next: 'Upgrade Node.js.',
  },
  'connection.ok': { state: 'ok', text: 'The last call of each vendor and server succeeded ({count}).' },
  'connection.key': {
    state: 'error',
    text: '{connection} refuses the key of the organization: what needs it fails.',
    next: 'Enter a new key in the settings of the organization, and test it there.',
  },
  'connection.failing': {
    state: 'warning',
    text: 'The last call of {connection} failed at {at} ({reason}).',
    next: 'Test the connection in the settings of the organization. The answer of the other side is shown there.',
  },
  'certificate.ok': {
    state: 'ok',
    text: 'The certificates of {count} addresses are valid. The first to expire, of {host}, does so in {days} days.',
  },
  'certificate.soon': {
    state: 'warning',
    text: 'The certificate of {host} ends in {days} days, on {date}.',
    next: 'Renew it where TLS ends. For a vendor, tell whoever runs that server.',
  },
  'certificate.now': {
    state: 'error',
    text: 'The certificate of {host} ends on {date}. After that, browsers and programs refuse it.',
    next: 'Renew it now where TLS ends. For a vendor, tell whoever runs that server.',
  },
  'certificate.refused': {
    state: 'error',
    text: 'The certificate of {host} is not valid ({reason}): browsers and programs refuse it.',
    next: 'Install a certificate for this name with its whole chain. NODE_EXTRA_CA_CERTS adds an authority of your own.',
  },
  'certificate.unreachable': {
    state: 'notice',
    text: '{host} could not be reached from the service, so its certificate was not checked.',
    next: 'If people can open it, ignore this: the network may not route to its own public address.',
  },
  'address.plain': {
    state: 'warning',
    text: 'PUBLIC_URL begins with http: sessions and questions travel unencrypted.',
    next: 'Put a proxy with TLS in front of the service, and set PUBLIC_URL to its https address.',
  },
  'secrets.ok': { state: 'ok', text: 'Stored keys of vendors can be opened.' },
  'secrets.missing': {
    state: 'error',
    text: 'Stored keys of vendors cannot be opened: {keys} is missing in SECRETS_KEY.',
    next: 'Put it back into SECRETS_KEY, behind the newest one, and restart the service.',
  },
  'row_security.off': {
    state: 'notice',
    text: 'PostgreSQL does not separate organizations as a second layer ({reason}).',
    next: 'Run the command doctor: it prints what a role of the database has to run once.',
  },
  'jobs.silent': {
    state: 'warning',
    text: 'This process finds no work in the background ({reason}).',
    next: 'It tries again every second. If this lasts, restart it.',
  },
  'signals.away': {
    state: 'notice',
    text: 'Notifications between processes are interrupted ({reason}): changes arrive some seconds later.',
    next: 'It connects again by itself. If this lasts, see whether a pooler keeps notifications back.',
  },
  'traces.dropped': {
    state: 'warning',
    text: 'Traces cannot be delivered: {count} spans were dropped.',
    next: 'See whether the backend at OTEL_EXPORTER_OTLP_ENDPOINT answers. Answers do not suffer.',
  },
  'check.failed': {
    state: 'warning',
    text: 'The check “{check}” could not be made.',
    next: 'Look for "a check of the health failed" in the log.',
  },
} as const satisfies Readonly<Record<string, Wording>>;

type FindingCode = keyof typeof FINDINGS;

/** Names of the checks. The finding `check.failed` names one of them. */
export const CHECKS: readonly string[] = [
  ...new Set(Object.keys(FINDINGS).map((code) => code.split('.')[0] ?? code)),
].filter((name) => name !== 'check');

export function finding(code: FindingCode, values: FindingValues = {}, organization: string | null = null): Finding {
  const { state, text, next }: Wording = FINDINGS[code];
  return { code, state, text: filled(text, values), next: next ?? null, values, organization };
}

const filled = (text: string, values: FindingValues): string =>
  text.replace(/\{(\w+)\}/g, (written, name: string) => String(values[name] ?? written));
