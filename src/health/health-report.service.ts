import { Inject, Injectable, Logger } from '@nestjs/common';
import { BucketCheck } from '../files';
import { CONFIG, type Config } from '../infrastructure/config';
import { DATABASE, type OpenDatabase } from '../infrastructure/database';
import {
  type Finding,
  HEALTH_STATES,
  type HealthState,
  checkAddress,
  checkClock,
  checkDatabase,
  checkDisk,
  checkRowSecurity,
  checkSecrets,
  checkVectors,
  checkVersions,
  finding,
  worstOf,
} from '../infrastructure/findings';
import { JobQueue } from '../infrastructure/jobs';
import { type CertificateState, OutboundClient } from '../infrastructure/outbound';
import { SecretsService } from '../infrastructure/secrets';
import { Signals } from '../infrastructure/signals';
import { Tracer } from '../infrastructure/telemetry';
import { VectorStore } from '../knowledge-bases';
import { ConnectionHealth, type LatestOutcome } from '../organizations';
import type { QueueFigures } from './figures.types';
import { InstallationStatistics } from './installation-statistics.service';
import { REPORT_KEPT_MS } from './report-kept.token';

/** One thing that is looked at. */
export interface Check {
  /** The part of its codes before the dot. */
  readonly name: string;
  readonly make: () => readonly Finding[] | Finding | Promise<readonly Finding[] | Finding>;
}

/** Checks of one process: the report tells of the process that was asked. */
@Injectable()
export class ProcessChecks {
  readonly checks: readonly Check[];

  constructor(jobs: JobQueue, signals: Signals, tracer: Tracer) {
    this.checks = [
      { name: 'jobs', make: () => (jobs.state === 'ok' ? [] : finding('jobs.silent', { reason: jobs.state })) },
      {
        name: 'signals',
        make: () => (signals.state === 'ok' ? [] : finding('signals.away', { reason: signals.state })),
      },
      {
        name: 'traces',
        make: () => (tracer.droppedSpans === 0 ? [] : finding('traces.dropped', { count: tracer.droppedSpans })),
      },
    ];
  }
}

const LATE_S = 60;
const STUCK_S = 15 * 60;

/** One finding for the slowest queue, and one for each with failed jobs. `queues` null: they could not be read. */
export function checkQueues(queues: readonly QueueFigures[] | null): readonly Finding[] {
  if (queues === null) return [finding('queue.unknown')];
  const failed = queues
    .filter((queue) => queue.failed > 0)
    .map(({ queue, failed: count }) => finding('queue.failed', { queue, count }));
  return [ageOf(queues), ...failed];
}

function ageOf(queues: readonly QueueFigures[]): Finding {
  const oldest = Math.max(0, ...queues.map(({ oldest_seconds }) => oldest_seconds));
  const queue = queues.find(({ oldest_seconds }) => oldest_seconds === oldest)?.queue ?? '';
  const minutes = Math.floor(oldest / 60);
  if (oldest > STUCK_S) return finding('queue.stuck', { queue, minutes });
  if (oldest > LATE_S) return finding('queue.late', { queue, minutes });
  return finding('queue.ok', { seconds: Math.max(1, Math.ceil(oldest)) });
}

/** Checks with the same result in every process: database, disk and settings. */
@Injectable()
export class InstallationChecks {
  readonly checks: readonly Check[];

  constructor(
    @Inject(CONFIG) { http, database: { dataDir } }: Config,
    @Inject(DATABASE) database: OpenDatabase,
    figures: InstallationStatistics,
    secrets: SecretsService,
    vectors: VectorStore,
    bucket: BucketCheck,
  ) {
    this.checks = [
      { name: 'database', make: () => checkDatabase(database) },
      { name: 'clock', make: () => checkClock(database) },
      { name: 'vectors', make: () => checkVectors(database, vectors.available) },
      { name: 'row_security', make: () => checkRowSecurity(database.rowSecurity) },
      { name: 'queue', make: async () => checkQueues((await figures.latest())?.queues ?? null) },
      { name: 'disk', make: () => checkDisk(dataDir) },
      { name: 'bucket', make: () => bucket.check() },
      { name: 'secrets', make: async () => checkSecrets(await secrets.status()) },
      { name: 'address', make: () => checkAddress(http.publicUrl) },
      { name: 'versions', make: () => checkVersions() },
    ];
  }
}

const DAY_MS = 86_400_000;
/** Programs that renew by themselves have done so long before. */
const SOON_DAYS = 14;
const NOW_DAYS = 3;

interface ShownCertificate {
  readonly host: string;
  readonly certificate: CertificateState;
}

interface Lasting {
  readonly host: string;
  readonly until: Date;
  readonly days: number;
}

/** One finding for each certificate that needs somebody, and one for all that hold. */
export function checkCertificates(shown: readonly ShownCertificate[], now: Date): readonly Finding[] {
  const broken = shown.flatMap(({ host, certificate }) => {
    if (certificate.state === 'refused') return [finding('certificate.refused', { host, reason: certificate.reason })];
    return certificate.state === 'unreachable' ? [finding('certificate.unreachable', { host })] : [];
  });
  const lasting = shown
    .flatMap(({ host, certificate }): Lasting[] => {
      if (certificate.state !== 'valid') return [];
      const { until } = certificate;
      return [{ host, until, days: Math.floor((until.getTime() - now.getTime()) / DAY_MS) }];
    })
    .sort((one, other) => one.days - other.days);
  return [...broken, ...lasting.filter(({ days }) => days < SOON_DAYS).map(endingOf), ...holdingOf(lasting)];
}

function endingOf({ host, until, days }: Lasting): Finding {
  const date = until.toISOString().slice(0, 10);
  return days < NOW_DAYS
    ? finding('certificate.now', { host, date })
    : finding('certificate.soon', { host, days, date });
}

function holdingOf(lasting: readonly Lasting[]): readonly Finding[] {
  const holding = lasting.filter(({ days }) => days >= SOON_DAYS);
  const [first] = holding;
  return first === undefined
    ? []
    : [finding('certificate.ok', { count: holding.length, host: first.host, days: first.days })];
}

/** Codes of a call whose key was refused or cannot be opened. */
const KEY_CODES: readonly (string | null)[] = ['upstream_auth', 'secret_unavailable'];

/** One finding for each vendor or server whose last call failed; one for all when none did. */
export function checkConnections(latest: readonly LatestOutcome[]): readonly Finding[] {
  if (latest.length === 0) return [];
  const failed = latest.filter(({ outcome }) => !outcome.ok);
  return failed.length === 0 ? [finding('connection.ok', { count: latest.length })] : failed.map(findingOf);
}

function findingOf({ organization, connection, outcome }: LatestOutcome): Finding {
  const { at, code, status } = outcome;
  if (KEY_CODES.includes(code)) return finding('connection.key', { connection }, organization);
  const reason = [code, status].filter((part) => part !== null).join(' ');
  return finding('connection.failing', { connection, at, reason }, organization);
}

/** Certificates that one report reads at most. */
const MOST_ADDRESSES = 50;

interface Address {
  readonly url: URL;
  /** The operator's own: it may be private. */
  readonly trusted: boolean;
}

/** Vendors, servers, and the certificates that they and the service itself show. */
@Injectable()
export class OutsideChecks {
  readonly checks: readonly Check[];

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly connections: ConnectionHealth,
    private readonly outbound: OutboundClient,
  ) {
    this.checks = [
      { name: 'connection', make: async () => checkConnections(await connections.everywhere()) },
      { name: 'certificate', make: () => this.certificates() },
    ];
  }

  private async certificates(): Promise<readonly Finding[]> {
    const { publicUrl } = this.config.http;
    const own = publicUrl === null ? [] : [{ url: new URL(publicUrl), trusted: true }];
    const used = (await this.connections.everywhere()).flatMap((each) => this.addressOf(each));
    const shown = oneOfEachHost([...own, ...used]).map(async ({ url, trusted }): Promise<ShownCertificate> => ({
      host: url.host,
      certificate: await this.outbound.certificate(url, trusted),
    }));
    return checkCertificates(await Promise.all(shown), new Date());
  }

  private addressOf({ connection, url }: LatestOutcome): readonly Address[] {
    if (url !== null) return URL.canParse(url) ? [{ url: new URL(url), trusted: false }] : [];
    const operators = this.operatorsAddress(connection);
    return operators === null ? [] : [{ url: new URL(operators), trusted: true }];
  }

  private operatorsAddress(connection: string): string | null {
    if (connection === 'moodle') return this.config.moodle.apiUrl;
    const vendor = this.config.vendors.get(connection.replace(/^providers\./, ''));
    return vendor?.operator?.baseUrl ?? vendor?.baseUrl ?? null;
  }
}

/** The operator's addresses first: an organization's address of the same host would be refused where it is private. */
function oneOfEachHost(addresses: readonly Address[]): readonly Address[] {
  const secured = addresses.filter(({ url }) => url.protocol === 'https:');
  const sorted = [...secured.filter(({ trusted }) => trusted), ...secured.filter(({ trusted }) => !trusted)];
  const hosts = new Map<string, Address>();
  for (const address of sorted) if (!hosts.has(address.url.host)) hosts.set(address.url.host, address);
  return [...hosts.values()].slice(0, MOST_ADDRESSES);
}

/** More than reading a certificate takes, less than a reader waits. */
const PATIENCE_MS = 5_000;

export interface Report {
  /** The worst of the findings. */
  readonly state: HealthState;
  readonly checkedAt: Date;
  /** Worst first. */
  readonly findings: readonly Finding[];
}

/** Makes the checks of the installation and reports what they found. */
@Injectable()
export class HealthReport {
  private readonly logger = new Logger('Health');
  private readonly checks: readonly Check[];
  /** Checks under way, by name. A check that hangs is not begun a second time. */
  private readonly running = new Map<string, Promise<readonly Finding[]>>();
  private kept: Report | null = null;
  private making: Promise<Report> | null = null;

  constructor(
    installation: InstallationChecks,
    process: ProcessChecks,
    outside: OutsideChecks,
    @Inject(REPORT_KEPT_MS) private readonly keptMs: number,
  ) {
    this.checks = [...installation.checks, ...process.checks, ...outside.checks];
  }

  /** At most `REPORT_KEPT_MS` old. Never rejects: a check that fails or hangs is a finding. */
  async latest(): Promise<Report> {
    if (this.kept !== null && Date.now() - this.kept.checkedAt.getTime() < this.keptMs) return this.kept;
    this.making ??= this.make().finally(() => {
      this.making = null;
    });
    return this.making;
  }

  private async make(): Promise<Report> {
    const found = (await Promise.all(this.checks.map((check) => this.guarded(check)))).flat();
    const findings = HEALTH_STATES.toReversed().flatMap((state) => found.filter((each) => each.state === state));
    this.kept = { state: worstOf(findings), checkedAt: new Date(), findings };
    return this.kept;
  }

  private async guarded(check: Check): Promise<readonly Finding[]> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer in time')), PATIENCE_MS);
    });
    try {
      return await Promise.race([this.run(check), late]);
    } catch (error) {
      this.logger.warn({ msg: 'a check of the health failed', check: check.name, err: error });
      return [finding('check.failed', { check: check.name })];
    } finally {
      clearTimeout(timer);
    }
  }

  private run({ name, make }: Check): Promise<readonly Finding[]> {
    const running = this.running.get(name);
    if (running !== undefined) return running;
    const begun = (async () => [await make()].flat())();
    this.running.set(name, begun);
    const ended = (): boolean => this.running.delete(name);
    begun.then(ended, ended);
    return begun;
  }
}
