import { type BeforeApplicationShutdown, Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { CONFIG, type Config } from '../config';
import { DATABASE, type OpenDatabase, type Transaction, acrossOrganizations } from '../database';
import { JobRepository } from './job.repository';
import type { JobHandler, NewJob, Queue, SweepContext } from './job.types';
import { JobMetrics, QueueWorker, uncountedJobs } from './queue-worker';

/** Periodic background work. Runs of one kind do not overlap. Only the first of consecutive failures is reported. */
export class RepeatedWork {
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly busy = new Set<Promise<void>>();

  constructor(private readonly failed: (error: unknown) => void) {}

  get isBegun(): boolean {
    return this.timers.length > 0;
  }

  every(everyMs: number, work: () => Promise<void>): void {
    let running = false;
    let failing = false;
    const once = async (): Promise<void> => {
      try {
        await acrossOrganizations('jobs', work);
        failing = false;
      } catch (error) {
        if (!failing) this.failed(error);
        failing = true;
      } finally {
        running = false;
      }
    };
    const timer = setInterval(() => {
      if (running) return;
      running = true;
      this.track(once());
    }, everyMs);
    timer.unref();
    this.timers.push(timer);
  }

  /** Makes `settled` wait for other work, whose failure is ignored. */
  track(work: Promise<void>): void {
    const tracked = work.catch(() => undefined).finally(() => this.busy.delete(tracked));
    this.busy.add(tracked);
  }

  /** Starts no more work; running work may end. */
  stop(): void {
    for (const timer of this.timers.splice(0)) clearInterval(timer);
  }

  async settled(): Promise<void> {
    await Promise.all(this.busy);
  }
}

/** Polling interval for jobs of other processes and for retries. */
const POLL_MS = 1_000;
const OVERDUE_LOOK_MS = 3 * POLL_MS;
const TIDY_MS = 10 * 60_000;
/** Milliseconds between the abort of a job and the end of the process. */
const GRACE_MS = 1_000;

interface Sweep {
  readonly everyMs: number;
  readonly work: (context: SweepContext) => Promise<void>;
}

/**
 * Jobs in PostgreSQL: enqueued in the transaction of the caller, run at least once by a process with started workers.
 * How modules use it: docs/contributing/jobs.md.
 */
@Injectable()
export class JobQueue implements BeforeApplicationShutdown {
  private readonly log = new Logger('Jobs');
  private readonly workers = new Map<string, QueueWorker>();
  private readonly sweeps: Sweep[] = [];
  private readonly background = new RepeatedWork((error) =>
    this.log.warn({ msg: 'background work failed and will be tried again', err: error }),
  );
  /** A third of the lease: three chances to renew it. */
  private readonly renewMs: number;
  private started = false;
  /** Monotonic milliseconds of the last successful poll. */
  private lastLook = 0;
  private stopping: Promise<void> | null = null;

  constructor(
    private readonly jobs: JobRepository,
    @Inject(DATABASE) private readonly database: OpenDatabase,
    @Inject(CONFIG) private readonly config: Config,
    @Optional() @Inject(JobMetrics) private readonly metrics: JobMetrics = uncountedJobs(),
  ) {
    this.renewMs = (config.jobs.leaseSeconds * 1_000) / 3;
  }

  /** Declares the handler of a queue, while the application is built. */
  declare<Data extends object>(queue: Queue<Data>, handler: JobHandler<Data>): void {
    if (this.started || this.workers.has(queue.name))
      throw new Error(`The queue ${queue.name} is declared too late or twice`);
    // Only `send` with the same queue enqueues its jobs, so the data has its type.
    this.workers.set(queue.name, new QueueWorker(queue, handler as JobHandler<object>, this.jobs, this.metrics));
  }

  /** Runs `work` at the start, before any job, and then periodically: recovers work whose job was lost. */
  sweep(everyMs: number, work: (context: SweepContext) => Promise<void>): void {
    this.sweeps.push({ everyMs, work });
  }

  /** Enqueues jobs in the transaction of the caller. Call `wake` after its commit. */
  async send<Data extends object>(queue: Queue<Data>, jobs: readonly NewJob<Data>[], tx: Transaction): Promise<void> {
    if (jobs.length > 0) await this.jobs.insert(queue, jobs, tx);
  }

  /** Enqueues jobs again that were lost, as sweeps do: those whose key has no waiting or running one. */
  async sendLost<Data extends object>(queue: Queue<Data>, jobs: readonly NewJob<Data>[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.jobs.insertLost(queue, jobs);
    this.wake(queue);
  }

  /** Makes this process poll now. Others find the jobs within a second. */
  wake<Data extends object>(queue: Queue<Data>): void {
    if (this.started && this.stopping === null) this.workers.get(queue.name)?.wake();
  }

  /** `ok`, or the reason why this process finds no jobs. */
  get state(): string {
    if (this.stopping !== null) return 'stopping';
    if (!this.started) return 'not started';
    const silentMs = performance.now() - this.lastLook;
    return silentMs > OVERDUE_LOOK_MS ? `no look for ${Math.round(silentMs / 1_000)} s` : 'ok';
  }

  /** This process takes no more jobs. */
  get isStopping(): boolean {
    return this.stopping !== null;
  }

  /** Keys without a waiting or running job. */
  withoutJob<Data extends object>(queue: Queue<Data>, keys: readonly string[]): Promise<string[]> {
    return keys.length === 0 ? Promise.resolve([]) : this.jobs.withoutJob(queue.name, keys);
  }

  /** Starts the workers. Operator commands enqueue without calling it. */
  async start(): Promise<void> {
    if (this.started) return;
    const names = [...this.workers.keys()];
    const alone = this.database.engine === 'embedded';
    await this.jobs.prepare(names);
    if (alone) await this.jobs.releaseAll(names);
    for (const { work } of this.sweeps) await acrossOrganizations('jobs', () => work({ alone, first: true }));
    this.started = true;
    this.lastLook = performance.now();
    this.background.every(POLL_MS, () => this.poll());
    this.background.every(this.renewMs, () => this.renew());
    this.background.every(this.renewMs, () => this.jobs.expire());
    this.background.every(TIDY_MS, () => this.jobs.tidy());
    for (const { everyMs, work } of this.sweeps) this.background.every(everyMs, () => work({ alone, first: false }));
    await acrossOrganizations('jobs', () => this.poll());
  }

  /** Takes no more jobs, lets running ones finish within the limit, then aborts and releases them. */
  stop(limitMs = this.config.http.shutdownTimeoutMs): Promise<void> {
    this.stopping ??= this.end(Math.max(limitMs - GRACE_MS, 0));
    return this.stopping;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stop();
  }

  private async end(patienceMs: number): Promise<void> {
    this.background.stop();
    // Renews leases while jobs finish.
    const renewing = setInterval(() => void this.renew().catch(() => undefined), this.renewMs);
    await Promise.all([...this.workers.values()].map((worker) => worker.stop(patienceMs, GRACE_MS)));
    clearInterval(renewing);
    await this.background.settled();
  }

  private async poll(): Promise<void> {
    const idle = [...this.workers.values()].filter(({ hasSpace }) => hasSpace).map(({ name }) => name);
    const due = await this.jobs.due(idle);
    this.lastLook = performance.now();
    for (const name of due) this.workers.get(name)?.wake();
  }

  private async renew(): Promise<void> {
    for (const worker of this.workers.values()) await worker.renew();
  }
}
