import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AppError, type JsonObject, uuidv7 } from '../kernel';
import { CONFIG, type Config } from '../platform/config';
import { JobAborted, JobQueue, type Queue, type RunningJob } from '../platform/jobs';
import { ActiveRuns } from './active-runs';
import { Run } from './run';
import { RunEndings } from './run-endings';
import { RunJournal } from './run-journal';
import { type ClaimedRun, type Crowd, RunLifecycleRepository } from './run-lifecycle.repository';
import { queuedRecord } from './run-record';
import type { RunInput, RunOutcome, RunRecord } from './run.types';

interface RunJob {
  readonly runId: string;
}

/** Carries out an opened run and ends it. */
export type RunExecutor = (run: Run, request: JsonObject) => Promise<void>;

/** A run is tried once; these are tries to begin it, while the database is away, say. */
const RETRIES = 10;
const RETRY_DELAY_SECONDS = 1;
/** An aborted run that does not end is ended. Less than what jobs are given when the process stops. */
const GRACE_MS = 600;
/** A queued run without a job is given one after this time. */
const LOST_JOB_SECONDS = 30;
const LOOK_MS = 60_000;
const LOST_JOBS_PER_LOOK = 500;
/** Background runs that may wait and go on at once. */
const MOST_OF_USER = 50;
const MOST_OF_ORGANIZATION = 200;
const TRY_AGAIN_SECONDS = 10;

const NOT_ENDED: RunOutcome = {
  status: 'failed',
  errorCode: 'internal_error',
  message: 'The run was not brought to an end',
};

/** Runs that go on by themselves: queued with their request, carried out by whichever process takes the job. */
@Injectable()
export class BackgroundRuns {
  private readonly logger = new Logger('Runs');
  private readonly queue: Queue<RunJob>;
  private executor: RunExecutor | null = null;

  constructor(
    private readonly lifecycle: RunLifecycleRepository,
    private readonly journal: RunJournal,
    private readonly endings: RunEndings,
    private readonly active: ActiveRuns,
    private readonly jobs: JobQueue,
    @Inject(CONFIG) { runs }: Config,
  ) {
    this.queue = { name: 'run', concurrency: runs.concurrency, retries: RETRIES, retryDelay: RETRY_DELAY_SECONDS };
    jobs.declare(this.queue, (job) => this.work(job));
    jobs.sweep(LOOK_MS, () => this.takeUpWhatLostItsJob());
  }

  executeBy(executor: RunExecutor): void {
    this.executor = executor;
  }

  /** Run, request and job come into being together. @throws AppError `too_many_requests` */
  async enqueue(input: RunInput, request: JsonObject): Promise<RunRecord> {
    const record = queuedRecord(uuidv7(), input);
    await this.lifecycle.together(async (tx) => {
      const crowd = await this.lifecycle.crowd(record, tx);
      refuseCrowd(crowd);
      await this.lifecycle.enqueue(record, crowd.turn, input, request, tx);
      await this.jobs.send(this.queue, [{ ...jobOf(record.id), priority: -crowd.turn }], tx);
    });
    this.jobs.wake(this.queue);
    return record;
  }

  /** A job that comes a second time finds its run begun, or ended: whoever began it ends it, or the reaper. */
  private async work({ data: { runId }, signal }: RunningJob<RunJob>): Promise<void> {
    const { executor } = this;
    if (executor === null) throw new Error('Nobody carries out runs yet');
    if (this.active.get(runId) !== undefined) return;
    const claimed = await this.lifecycle.claim(runId, this.active.workerId);
    if (claimed === null) return;
    await this.carryOut(runId, claimed, executor, signal);
  }

  private async carryOut(id: string, claimed: ClaimedRun, executor: RunExecutor, signal: AbortSignal): Promise<void> {
    const log = this.journal.open(id);
    const { input, request, createdAt } = claimed;
    const run = new Run(input, { id, createdAt, log });
    this.active.add(run);
    const stop = (): void => {
      // Another try of the job means nothing to a run: its row says whose it is.
      if (!(signal.reason instanceof JobAborted && signal.reason.reason === 'lost')) run.abort('server_shutdown');
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const { id: assistantId, type } = input.assistant;
    run.emit({ type: 'run.started', assistant_id: assistantId, assistant_type: type, strategy: input.strategy });
    await this.execute(run, () => executor(run, request));
    signal.removeEventListener('abort', stop);
    await log.settled;
    this.active.delete(id);
  }

  /** Whatever becomes of the work: the run is ended after it, or soon after it was aborted. */
  private async execute(run: Run, work: () => Promise<void>): Promise<void> {
    let outcome = NOT_ENDED;
    const worked = (async () => work())().catch((error: unknown) => {
      outcome = failureOf(error);
      if (!run.isClosed) this.logger.error({ msg: 'a background run failed', run_id: run.id, err: error });
    });
    const { signal } = run;
    let aborted!: () => void;
    const overdue = new Promise<void>((resolve) => (aborted = resolve)).then(() => sleep(GRACE_MS));
    signal.addEventListener('abort', aborted, { once: true });
    if (signal.aborted) aborted();
    await Promise.race([worked, overdue]);
    signal.removeEventListener('abort', aborted);
    if (!run.isClosed) this.endings.finish(run, run.abortReason === null ? outcome : abortedAs(run.abortReason));
  }

  private async takeUpWhatLostItsJob(): Promise<void> {
    for await (const waiting of this.lifecycle.waiting(LOST_JOB_SECONDS, LOST_JOBS_PER_LOOK)) {
      const ids = await this.jobs.withoutJob(this.queue, waiting);
      if (ids.length === 0) continue;
      this.logger.warn({ msg: 'queued runs had lost their jobs', count: ids.length });
      await this.lifecycle.together((tx) => this.jobs.send(this.queue, ids.map(jobOf), tx));
      this.jobs.wake(this.queue);
    }
  }
}

function refuseCrowd({ ofUser, ofOrganization }: Crowd): void {
  if (ofUser < MOST_OF_USER && ofOrganization < MOST_OF_ORGANIZATION) return;
  const whose = ofUser < MOST_OF_USER ? 'of the organization' : 'of yours';
  throw new AppError('too_many_requests', `Too many runs ${whose} wait or go on in the background`, {
    retryAfter: TRY_AGAIN_SECONDS,
  });
}

const jobOf = (runId: string): { key: string; data: RunJob } => ({ key: runId, data: { runId } });

const failureOf = (error: unknown): RunOutcome =>
  error instanceof AppError ? { status: 'failed', errorCode: error.code, message: error.detail } : NOT_ENDED;

function abortedAs(reason: string): RunOutcome {
  if (reason === 'server_shutdown')
    return { status: 'failed', errorCode: 'server_shutdown', message: 'The server is shutting down' };
  if (reason === 'unavailable')
    return { status: 'failed', errorCode: 'unavailable', message: 'What the run did could not be written down' };
  return { status: 'cancelled', errorCode: 'cancelled', message: reason };
}
