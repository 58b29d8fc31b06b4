import { AppError, type JsonObject, uuidv7 } from '@bellwether/kernel';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../infrastructure/config';
import { type Transaction, Transactions } from '../infrastructure/database';
import { type JobHandler, JobQueue, type Queue, type SweepContext } from '../infrastructure/jobs';
import { queuedRecord } from './run-record';
import type { RunInput, RunRecord } from './run.types';
import { type QueueLoad, RunQueueRepository } from './run-queue.repository';

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

/** A run that has been queued for this long must have a job. */
const LOST_JOB_SECONDS = 30;
const LOST_JOBS_SWEEP_MS = 60_000;
const LOST_JOBS_PAGE = 500;
/** Background runs that may be queued or running at once. */
const MAX_PER_USER = 50;
const MAX_PER_ORGANIZATION = 200;
const RETRY_AFTER_SECONDS = 10;

/** Work in the transaction that queues a run. */
export type WithQueuedRun = (runId: string, tx: Transaction) => Promise<void>;

/** Queues background runs with their requests. `RunWorker` executes them, in whichever process takes the job. */
@Injectable()
export class BackgroundRuns {
  private readonly logger = new Logger('Runs');

  constructor(
    private readonly queue: RunQueueRepository,
    private readonly transactions: Transactions,
    private readonly jobs: RunJobs,
  ) {
    jobs.sweep(LOST_JOBS_SWEEP_MS, () => this.replaceLostJobs());
  }

  /** Inserts run, request and job in one transaction, with what `also` writes. @throws AppError `too_many_requests` */
  async enqueue(input: RunInput, request: JsonObject, also?: WithQueuedRun): Promise<RunRecord> {
    const id = await this.transactions.once('run.enqueue', async (tx) => {
      const record = queuedRecord(uuidv7(), input);
      const load = await this.queue.load(record, tx);
      assertBelowLimits(load);
      await this.queue.enqueue(record, load.turn, input, request, tx);
      await also?.(record.id, tx);
      await this.jobs.send([record.id], tx, -load.turn);
      return record.id;
    });
    this.jobs.wake();
    return queuedRecord(id, input);
  }

  private async replaceLostJobs(): Promise<void> {
    for await (const queued of this.queue.queuedLong(LOST_JOB_SECONDS, LOST_JOBS_PAGE)) {
      const ids = await this.jobs.withoutJob(queued);
      if (ids.length === 0) continue;
      this.logger.warn({ msg: 'queued runs had lost their jobs', count: ids.length });
      await this.transactions.run((tx) => this.jobs.send(ids, tx));
      this.jobs.wake();
    }
  }
}

function assertBelowLimits({ ofUser, ofOrganization }: QueueLoad): void {
  if (ofUser < MAX_PER_USER && ofOrganization < MAX_PER_ORGANIZATION) return;
  const whose = ofUser < MAX_PER_USER ? 'of the organization' : 'of yours';
  throw new AppError('too_many_requests', `Too many runs ${whose} wait or go on in the background`, {
    retryAfter: RETRY_AFTER_SECONDS,
  });
}
