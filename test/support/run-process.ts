import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { Config } from '../../src/platform/config';
import { type OpenDatabase, Transactions } from '../../src/platform/database';
import { JobQueue } from '../../src/platform/jobs';
import { JobRepository } from '../../src/platform/jobs/job.repository';
import { Signals } from '../../src/platform/signals';
import { type RunInput, RunsService } from '../../src/runs';
import { ActiveRuns } from '../../src/runs/active-runs';
import { BackgroundRuns } from '../../src/runs/background-runs';
import { RunCanceller } from '../../src/runs/run-canceller';
import { RunEndings } from '../../src/runs/run-endings';
import { RunEventRepository } from '../../src/runs/run-event.repository';
import { RunJournal } from '../../src/runs/run-journal';
import { RunKeeper } from '../../src/runs/run-keeper';
import { RunLifecycleRepository } from '../../src/runs/run-lifecycle.repository';
import { RunReader } from '../../src/runs/run-reader';
import { RunRepository } from '../../src/runs/run.repository';
import { RunSweeper } from '../../src/runs/run-sweeper';
import { RunTails } from '../../src/runs/run-tails';

export interface RunProcessOptions {
  readonly leaseSeconds?: number;
  readonly concurrency?: number;
  readonly retentionDays?: number;
  readonly engine?: OpenDatabase['engine'];
  /** Talks to other processes by this database's notifications. */
  readonly signalUrl?: string;
}

/** The runs of one process of the service, with everything below them that they need. */
export function runProcess(dataSource: DataSource, options: RunProcessOptions = {}) {
  const { leaseSeconds = 30, concurrency = 4, retentionDays = 90, engine = 'server', signalUrl = null } = options;
  const config = {
    http: { shutdownTimeoutMs: 1_000 },
    jobs: { leaseSeconds: 30 },
    runs: { leaseSeconds, concurrency, retentionDays },
    database: { url: signalUrl },
  } as unknown as Config;
  const jobs = new JobQueue(new JobRepository(dataSource, config), { engine } as OpenDatabase, config);
  const signals = new Signals(config);
  const active = new ActiveRuns();
  const repository = new RunRepository(dataSource);
  const events = new RunEventRepository(dataSource);
  const lifecycle = new RunLifecycleRepository(dataSource, new Transactions(dataSource));
  const tails = new RunTails(events, signals);
  const journal = new RunJournal(events, tails, active, signals);
  const endings = new RunEndings(repository, journal, active);
  const background = new BackgroundRuns(lifecycle, journal, endings, active, jobs, config);
  const keeper = new RunKeeper(lifecycle, repository, journal, active, signals, config);
  const sweeper = new RunSweeper(lifecycle, active, keeper, signals, jobs, config);
  const reader = new RunReader(events, repository, tails, active, endings);
  const canceller = new RunCanceller(lifecycle, active, signals);
  const runs = new RunsService(repository, active, endings, background, reader, canceller);
  const stop = async (limitMs = 1_000): Promise<void> => {
    await jobs.stop(limitMs);
    await keeper.beforeApplicationShutdown();
    await endings.beforeApplicationShutdown();
    await signals.onApplicationShutdown();
  };
  return { active, background, events, jobs, journal, keeper, lifecycle, runs, signals, sweeper, tails, stop };
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

/** Server-sent events as a client would read them. */
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

/** All events to the end of the run, as one text of frames. */
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
  for await (const events of runs.follow(record, { after, signal }))
    for (const { seq, type, data } of events) text += `id: ${seq}\nevent: ${type}\ndata: ${data}\n\n`;
  return text;
}
