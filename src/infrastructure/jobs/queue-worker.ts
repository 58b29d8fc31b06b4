import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { withoutTrail } from '../context';
import { acrossOrganizations, isDatabaseUnavailable, withinOrganization } from '../database';
import { MetricRegistry, histogram } from '../telemetry';
import type { FetchedJob, JobRepository, Try } from './job.repository';
import { type AbortCause, JobAborted, type JobHandler, type Queue } from './job.types';

export const JOB_DURATION = histogram({
  name: 'bellwether_job_duration_seconds',
  help: 'Duration of jobs in the background by queue, and how they ended: completed, retried, failed or released.',
  labels: ['queue', 'outcome'],
  buckets: [0.01, 0.05, 0.25, 1, 5, 30, 120, 600],
});

type JobOutcome = 'completed' | 'retried' | 'failed' | 'released';

@Injectable()
export class JobMetrics {
  private readonly durations;

  constructor(registry: MetricRegistry) {
    this.durations = registry.histogram(JOB_DURATION);
  }

  ended(queue: string, outcome: JobOutcome, durationMs: number): void {
    this.durations.at(queue, outcome).observe(durationMs / 1e3);
  }
}

/** Metrics that count nothing, for queues without a service around them. */
export const uncountedJobs = (): JobMetrics => new JobMetrics(new MetricRegistry(false));

/** Fetching costs more than some jobs, so several are fetched at once. */
const PREFETCH = 16;
const SHORT_JOB_MS = 250;
const SMOOTHING = 0.2;
/** Pauses between tries to record the end of a job; the last one again and again while the database is away. */
const TELL_PAUSES_MS = [200, 500, 1_000, 2_000, 4_000];

interface Held extends FetchedJob {
  readonly abort: AbortController;
  ended: Promise<void>;
}

const reasonOf = (error: unknown): string => {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return code || (error instanceof Error ? error.name : 'unknown');
};

/** Runs the jobs of one queue in this process. Never rejects: failures are logged and retried. */
export class QueueWorker {
  private readonly log = new Logger('Jobs');
  private readonly running = new Map<string, Held>();
  private waiting: FetchedJob[] = [];
  private fetching: Promise<void> | null = null;
  private wokenMeanwhile = false;
  private readonly stopping = new AbortController();
  private typicalMs = Infinity;

  constructor(
    private readonly queue: Queue<object>,
    private readonly handler: JobHandler<object>,
    private readonly jobs: JobRepository,
    private readonly metrics: JobMetrics,
  ) {}

  get name(): string {
    return this.queue.name;
  }

  get hasSpace(): boolean {
    return !this.stopping.signal.aborted && this.running.size < this.queue.concurrency;
  }

  wake(): void {
    if (this.fetching !== null) {
      this.wokenMeanwhile = true;
      return;
    }
    this.fetching = this.fill().finally(() => {
      this.fetching = null;
    });
  }

  /** Renews the leases of running jobs and aborts jobs that others have taken over. */
  async renew(): Promise<void> {
    const held = [...this.running.values(), ...this.waiting];
    if (held.length === 0) return;
    const ours = await this.jobs.renew(this.name, held);
    // By identity: a later try of the same job may have arrived meanwhile.
    const tries = new Set<FetchedJob>(held);
    this.waiting = this.waiting.filter((job) => !tries.has(job) || ours.has(job.id));
    for (const job of this.running.values()) {
      if (tries.has(job) && !ours.has(job.id)) job.abort.abort(new JobAborted('lost'));
    }
  }

  /** Lets running jobs finish for `patienceMs`, then aborts and releases them. */
  async stop(patienceMs: number, graceMs: number): Promise<void> {
    this.stopping.abort();
    await this.fetching;
    await this.release(this.waiting.splice(0));
    await this.settled(patienceMs);
    for (const { abort } of this.running.values()) abort.abort(new JobAborted('shutdown'));
    await this.settled(graceMs);
    await this.release([...this.running.values()]);
  }

  private async settled(limitMs: number): Promise<void> {
    if (this.running.size === 0) return;
    const timer = new AbortController();
    const late = sleep(limitMs, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([Promise.all([...this.running.values()].map(({ ended }) => ended)), late]);
    timer.abort();
  }

  private async fill(): Promise<void> {
    do {
      this.wokenMeanwhile = false;
      this.begin();
      if (!this.hasSpace) return;
      const free = this.queue.concurrency - this.running.size;
      try {
        const more = this.typicalMs < SHORT_JOB_MS ? PREFETCH : 0;
        this.waiting.push(...(await this.jobs.fetch(this.name, free + more)));
      } catch (error) {
        this.log.warn({ msg: 'no jobs could be fetched', queue: this.name, err: error });
        return;
      }
      this.begin();
    } while (this.wokenMeanwhile);
  }

  private begin(): void {
    while (this.hasSpace) {
      const job = this.waiting.shift();
      if (job === undefined) return;
      const held: Held = { ...job, abort: new AbortController(), ended: Promise.resolve() };
      this.running.set(job.id, held);
      held.ended = this.run(held);
    }
  }

  private async run(held: Held): Promise<void> {
    const { id, data, lastTry, abort } = held;
    const { timeoutMs } = this.queue;
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(() => abort.abort(new JobAborted('timeout')), timeoutMs);
    const started = performance.now();
    let outcome: JobOutcome = 'completed';
    try {
      await withoutTrail(() => inReachOf(data, () => this.handler({ id, data, lastTry, signal: abort.signal })));
      await this.tell(held, () => this.jobs.complete(this.name, held));
    } catch (error) {
      outcome = outcomeOf(held);
      await this.failed(held, error);
    } finally {
      clearTimeout(timer);
      this.metrics.ended(this.name, outcome, performance.now() - started);
      if (this.running.get(id) === held) this.running.delete(id);
      const took = performance.now() - started;
      this.typicalMs = this.typicalMs === Infinity ? took : this.typicalMs + SMOOTHING * (took - this.typicalMs);
      if (!this.stopping.signal.aborted) this.wake();
    }
  }

  private async failed(held: Held, error: unknown): Promise<void> {
    const cause = causeOf(held.abort.signal);
    if (cause === 'lost') return;
    if (cause === 'shutdown') return this.tell(held, () => this.release([held]));
    const entry = { msg: 'a job failed', queue: this.name, job: held.id, final: held.lastTry, err: error };
    if (held.lastTry) this.log.error(entry);
    else this.log.warn(entry);
    await this.tell(held, () => this.jobs.fail(this.name, held, cause ?? reasonOf(error)));
  }

  /** Giving up is safe: the lease expires and the job runs again. */
  private async tell(held: Held, message: () => Promise<void>): Promise<void> {
    for (let tries = 0; causeOf(held.abort.signal) !== 'lost'; tries++) {
      try {
        return await message();
      } catch (error) {
        const pause = TELL_PAUSES_MS[tries] ?? (isDatabaseUnavailable(error) ? TELL_PAUSES_MS.at(-1) : undefined);
        if (pause === undefined || this.stopping.signal.aborted) {
          this.log.warn({ msg: 'the end of a job could not be recorded', queue: this.name, job: held.id, err: error });
          return;
        }
        // A stop wakes it for the last try.
        await sleep(pause, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }

  private async release(tries: readonly Try[]): Promise<void> {
    try {
      await this.jobs.release(this.name, tries);
    } catch (error) {
      this.log.warn({ msg: 'jobs could not be released', queue: this.name, count: tries.length, err: error });
    }
  }
}

function outcomeOf({ abort, lastTry }: Held): JobOutcome {
  const cause = causeOf(abort.signal);
  if (cause === 'lost' || cause === 'shutdown') return 'released';
  return lastTry ? 'failed' : 'retried';
}

/** A job whose data names an organization sees that one only, whichever request woke the worker. */
function inReachOf(data: object, work: () => Promise<void>): Promise<void> {
  const { organizationId } = data as { organizationId?: unknown };
  if (typeof organizationId === 'string') return withinOrganization(organizationId, work);
  return acrossOrganizations('jobs', work);
}

function causeOf(signal: AbortSignal): AbortCause | null {
  return signal.reason instanceof JobAborted ? signal.reason.reason : null;
}
