import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../infrastructure/config';
import type { Transaction } from '../../infrastructure/database';
import { type JobHandler, JobQueue, type Queue, type SweepContext } from '../../infrastructure/jobs';

export interface RunJob {
  readonly runId: string;
}

/** Tries to begin a run, for example while the database is away. `RunReaper` decides about runs that have begun. */
const RETRIES = 10;
const RETRY_DELAY_SECONDS = 1;

/** The job queue of background runs. */
@Injectable()
export class RunJobs {
  private readonly queue: Queue<RunJob>;

  constructor(
    private readonly jobs: JobQueue,
    @Inject(CONFIG) { runs: { concurrency } }: Config,
  ) {
    this.queue = { name: 'run', concurrency, retries: RETRIES, retryDelay: RETRY_DELAY_SECONDS };
  }

  declare(handler: JobHandler<RunJob>): void {
    this.jobs.declare(this.queue, handler);
  }

  sweep(everyMs: number, work: (context: SweepContext) => Promise<void>): void {
    this.jobs.sweep(everyMs, work);
  }

  send(ids: readonly string[], tx: Transaction, priority = 0): Promise<void> {
    const jobs = ids.map((runId) => ({ key: runId, data: { runId }, priority }));
    return this.jobs.send(this.queue, jobs, tx);
  }

  wake(): void {
    this.jobs.wake(this.queue);
  }

  withoutJob(ids: readonly string[]): Promise<string[]> {
    return this.jobs.withoutJob(this.queue, ids);
  }
}
