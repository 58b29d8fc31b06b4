import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { Config } from '../../src/infrastructure/config';
import { type OpenDatabase, Transactions } from '../../src/infrastructure/database';
import { JobQueue } from '../../src/infrastructure/jobs';
import { JobRepository } from '../../src/infrastructure/jobs/job.repository';
import { MetricRegistry } from '../../src/infrastructure/telemetry';
import { Signals } from '../../src/infrastructure/signals';
import { type RunExecutor, type RunInput, RunsService } from '../../src/runs';
import { KeysInMemory, signedReceipts } from '../../src/runs/testing/signed-receipts';
import { BackgroundRuns, RunJobs } from '../../src/runs/background-runs';
import { RunQueueRepository } from '../../src/runs/run-queue.repository';
import { RunWorker } from '../../src/runs/run-worker';
import { RunEndings } from '../../src/runs/run-endings';
import { RunCancelRepository } from '../../src/runs/keeping/run-cancel.repository';
import { RunCanceller } from '../../src/runs/keeping/run-canceller';
import { RunHeartbeat, RunReaper, RunRetention } from '../../src/runs/keeping/run-heartbeat';
import { RunLeaseRepository } from '../../src/runs/keeping/run-lease.repository';
import { RunMetrics } from '../../src/runs/keeping/run.metrics';
import { RunEventRepository } from '../../src/runs/run-event.repository';
import { RunJournal } from '../../src/runs/run-journal';
import { RunTails } from '../../src/runs/run-tails';
import { RunReader } from '../../src/runs/run-reader';
import { RunLines } from '../../src/runs/run-lines';
import { RunRepository } from '../../src/runs/run.repository';
import { RunSegmentRepository } from '../../src/runs/run-segment.repository';
import { ActiveRuns } from '../../src/runs/run';
import { ownedDatabase } from './database';

export interface RunProcessOptions {
  readonly leaseSeconds?: number;
  readonly concurrency?: number;
  readonly retentionDays?: number;
  /** Keys of receipts. */
  readonly keys?: KeysInMemory;
  readonly engine?: OpenDatabase['engine'];
  /** Database whose notifications carry signals to other processes. */
  readonly signalUrl?: string;
}

/** The runs of one process of the service. */
export function runProcess(dataSource: DataSource, options: RunProcessOptions = {}) {
  const { leaseSeconds = 30, concurrency = 4, retentionDays = 90, engine = 'server', signalUrl = null } = options;
  const config = {
    http: { shutdownTimeoutMs: 1_000 },
    jobs: { leaseSeconds: 30 },
    runs: { leaseSeconds, concurrency, retentionDays },
    database: { url: signalUrl },
  } as unknown as Config;
  const jobs = new JobQueue(
    new JobRepository(dataSource, config, ownedDatabase(dataSource)),
    { engine } as OpenDatabase,
    config,
  );
  const runJobs = new RunJobs(jobs, config);
  const signals = new Signals(config);
  const transactions = new Transactions(dataSource);
  const active = new ActiveRuns();
  const lines = new RunLines(new RunSegmentRepository(dataSource), signedReceipts(options.keys ?? new KeysInMemory()));
  const repository = new RunRepository(dataSource, lines);
  const events = new RunEventRepository(dataSource);
  const queue = new RunQueueRepository(dataSource);
  const leases = new RunLeaseRepository(dataSource, transactions, new RunMetrics(new MetricRegistry(false)));
  const tails = new RunTails(events, signals);
  const journal = new RunJournal(events, tails, active, signals, lines);
  const endings = new RunEndings(repository, journal, active, lines);
  const background = new BackgroundRuns(queue, transactions, runJobs);
  let execute: RunExecutor['execute'] = () => Promise.reject(new Error('The test gave no executor'));
  new RunWorker(queue, journal, endings, active, runJobs, { execute: (run, request) => execute(run, request) });
  const canceller = new RunCanceller(new RunCancelRepository(dataSource, transactions), active, signals);
  const heartbeat = new RunHeartbeat(leases, canceller, repository, journal, active, config);
  const reaper = new RunReaper(leases, active, heartbeat, signals, runJobs, config);
  const retention = new RunRetention(repository, runJobs, config);
  const reader = new RunReader(events, repository, tails, active, endings);
  const runs = new RunsService(repository, active, endings, background, reader, canceller);
  const stop = async (limitMs = 1_000): Promise<void> => {
    await jobs.stop(limitMs);
    await heartbeat.beforeApplicationShutdown();
    await endings.beforeApplicationShutdown();
    await signals.onApplicationShutdown();
  };
  return {
    ...{
      active,
      canceller,
      endings,
      events,
      jobs,
      keeper: heartbeat,
      leases,
      lines,
      queue,
      reaper,
      repository,
      retention,
      runs,
      signals,
    },
    ...{ tails, stop },
    executeBy: (executor: RunExecutor['execute']): void => void (execute = executor),
  };
}

export type RunProcess = ReturnType<typeof runProcess>;

export async function addOrganization(dataSource: DataSource, id = randomUUID()): Promise<string> {
  await dataSource.query(`INSERT INTO organizations (id, slug, name) VALUES ($1, $2, 'Org')`, [
    id,
    `org-${id.slice(0, 8)}`,
  ]);
  return id;
}

export interface InputOverrides {
  readonly organizationId: string;
  readonly userId?: string;
  readonly assistantId?: number;
  readonly parentRunId?: string;
}

export const storedRunInput = ({ organizationId, userId, assistantId = 7, parentRunId }: InputOverrides): RunInput => ({
  assistant: { id: assistantId, name: 'Biology', organizationId, ownerId: randomUUID(), type: 'multi_tool' },
  caller: {
    kind: 'api_key',
    credentialId: randomUUID(),
    organizationId,
    organizationSlug: 'default',
    userId: userId ?? randomUUID(),
    role: 'member',
    systemAdmin: false,
    scopes: ['chat'],
    assistantIds: null,
  },
  strategy: 'sequential',
  stream: true,
  parentRunId: parentRunId ?? null,
});

export interface Frame {
  readonly id: number;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** Parses server-sent events. */
export function framesIn(text: string): Frame[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [id, event, data, ...more] = block.split('\n');
      if (more.length > 0 || data === undefined) throw new Error(`Not a frame: ${block}`);
      return {
        id: Number(id?.replace('id: ', '')),
        event: event?.replace('event: ', '') ?? '',
        data: JSON.parse(data.replace('data: ', '')) as Record<string, unknown>,
      };
    });
}

/** All events of the run as one text of frames. */
export async function readAll(
  runs: RunsService,
  organizationId: string,
  id: string,
  after = 0,
  signal: AbortSignal = new AbortController().signal,
): Promise<string> {
  const record = await runs.find(organizationId, id);
  if (record === null) throw new Error('No such run');
  let text = '';
  await runs.follow(record, { after, signal }, (events) => {
    for (const { seq, type, data } of events) text += `id: ${seq}\nevent: ${type}\ndata: ${data}\n\n`;
    return undefined;
  });
  return text;
}
