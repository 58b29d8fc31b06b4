import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../config';
import { DATABASE, type OpenDatabase, type Transaction } from '../database';
import { JobRepository } from './job.repository';
import type { JobHandler, NewJob, Queue, SweepContext } from './job.types';
import { QueueWorker } from './queue-worker';
import { RepeatedWork } from './repeated-work';

/** How long a job that another process has enqueued, or one that waits for its retry, may lie before it is noticed. */
const POLL_MS = 1_000;
const OVERDUE_LOOK_MS = 3 * POLL_MS;
const TIDY_MS = 10 * 60_000;
/** What jobs that were told to end get to do so. */
const GRACE_MS = 1_000;

interface Sweep {
  readonly everyMs: number;
  readonly work: (context: SweepContext) => Promise<void>;
}

/**
 * Work that outlives the process: jobs lie in PostgreSQL, enqueued in the transaction of whatever asks for them, and are
 * run at least once by some process that has started its workers. How rooms use it: docs/contributing/jobs.md.
 */
@Injectable()
export class JobQueue implements BeforeApplicationShutdown {
  private readonly log = new Logger('Jobs');
  private readonly workers = new Map<string, QueueWorker>();
  private readonly sweeps: Sweep[] = [];
  private readonly background = new RepeatedWork((error) =>
    this.log.warn({ msg: 'background work failed and will be tried again', err: error }),
  );
  /** A third of the lease: three chances to give a sign of life. */
  private readonly renewMs: number;
  private started = false;
  /** Monotonic milliseconds of the last look for jobs that the database answered. */
  private lastLook = 0;
  private stopping: Promise<void> | null = null;

  constructor(
    private readonly jobs: JobRepository,
    @Inject(DATABASE) private readonly database: OpenDatabase,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.renewMs = (config.jobs.leaseSeconds * 1_000) / 3;
  }

  /** Says what to do with the jobs of a queue. Called while the application is built. */
  declare<Data extends object>(queue: Queue<Data>, handler: JobHandler<Data>): void {
    if (this.started || this.workers.has(queue.name))
      throw new Error(`The queue ${queue.name} is declared too late or twice`);
    // A queue's jobs are only ever enqueued by `send` with the same queue, hence with this type of data.
    this.workers.set(queue.name, new QueueWorker(queue, handler as JobHandler<object>, this.jobs));
  }

  /** Has `work` done at the start, before any job runs, and again and again: for what a job was lost for. */
  sweep(everyMs: number, work: (context: SweepContext) => Promise<void>): void {
    this.sweeps.push({ everyMs, work });
  }

  /** Enqueues jobs with the caller's transaction: they exist when it commits. Then call `wake`. */
  async send<Data extends object>(queue: Queue<Data>, jobs: readonly NewJob<Data>[], tx: Transaction): Promise<void> {
    if (jobs.length > 0) await this.jobs.insert(queue, jobs, tx);
  }

  /** After a commit: has this process look for jobs now. Others find them within a second. */
  wake<Data extends object>(queue: Queue<Data>): void {
    if (this.started && this.stopping === null) this.workers.get(queue.name)?.wake();
  }

  /** `ok`, or in a few words why this process finds no jobs. */
  get state(): string {
    if (this.stopping !== null) return 'stopping';
    if (!this.started) return 'not started';
    const silentMs = performance.now() - this.lastLook;
    return silentMs > OVERDUE_LOOK_MS ? `no look for ${Math.round(silentMs / 1_000)} s` : 'ok';
  }

  /** No job will run in this process any more. */
  get isStopping(): boolean {
    return this.stopping !== null;
  }

  /** Those of the keys for which no job waits or runs. */
  withoutJob<Data extends object>(queue: Queue<Data>, keys: readonly string[]): Promise<string[]> {
    return keys.length === 0 ? Promise.resolve([]) : this.jobs.withoutJob(queue.name, keys);
  }

  /** Starts the workers of this process. Operator commands never call it; they may enqueue all the same. */
  async start(): Promise<void> {
    if (this.started) return;
    const names = [...this.workers.keys()];
    const alone = this.database.engine === 'embedded';
    await this.jobs.prepare(names);
    if (alone) await this.jobs.releaseAll(names);
    for (const { work } of this.sweeps) await work({ alone, first: true });
    this.started = true;
    this.lastLook = performance.now();
    this.background.every(POLL_MS, () => this.poll());
    this.background.every(this.renewMs, () => this.renew());
    this.background.every(this.renewMs, () => this.jobs.expire());
    this.background.every(TIDY_MS, () => this.jobs.tidy());
    for (const { everyMs, work } of this.sweeps) this.background.every(everyMs, () => work({ alone, first: false }));
    for (const worker of this.workers.values()) worker.wake();
  }

  /** Takes no more jobs, lets those in hand finish within the limit, then ends them and frees them for others. */
  stop(limitMs = this.config.http.shutdownTimeoutMs): Promise<void> {
    this.stopping ??= this.end(Math.max(limitMs - GRACE_MS, 0));
    return this.stopping;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stop();
  }

  private async end(patienceMs: number): Promise<void> {
    this.background.stop();
    // Leases go on being renewed while jobs finish.
    const renewing = setInterval(() => void this.renew().catch(() => undefined), this.renewMs);
    await Promise.all([...this.workers.values()].map((worker) => worker.stop(patienceMs, GRACE_MS)));
    clearInterval(renewing);
    await this.background.settled();
  }

  private async poll(): Promise<void> {
    const idle = [...this.workers.values()].filter(({ hasRoom }) => hasRoom).map(({ name }) => name);
    const due = await this.jobs.due(idle);
    this.lastLook = performance.now();
    for (const name of due) this.workers.get(name)?.wake();
  }

  private async renew(): Promise<void> {
    for (const worker of this.workers.values()) await worker.renew();
  }
}
