import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AppError, type JsonObject, uuidv7 } from '../kernel';
import { CONFIG, type Config } from '../platform/config';
import { isDatabaseUnavailable } from '../platform/database';
import { JobAborted, JobQueue, type Queue, type RunningJob } from '../platform/jobs';
import { vendorGate } from '../platform/outbound';
import { ActiveRuns } from './active-runs';
import { Run } from './run';
import { abortFailure } from './run-abort';
import { RunEndings } from './run-endings';
import { RunJournal } from './run-journal';
import { type ClaimedRun, type Crowd, RunLifecycleRepository } from './run-lifecycle.repository';
import { jobOf, type RunJob, runQueue } from './run-queue';
import { queuedRecord } from './run-record';
import type { RunInput, RunOutcome, RunRecord } from './run.types';

/** Carries out an opened run and ends it. */
export type RunExecutor = (run: Run, request: JsonObject) => Promise<void>;

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

const BEGUN_AGAIN = 'The process that carried out the run is gone. The run begins again.';
/** A run waits this long for the database before it asks a vendor. */
const DATABASE_PATIENCE_MS = 30_000;
const DATABASE_PAUSE_MS = 500;

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
    this.queue = runQueue(runs.concurrency);
    jobs.declare(this.queue, (job) => this.work(job));
    jobs.sweep(LOOK_MS, () => this.takeUpWhatLostItsJob());
  }

  executeBy(executor: RunExecutor): void {
    this.executor = executor;
  }

  /** Run, request and job come into being together. @throws AppError `too_many_requests` */
  async enqueue(input: RunInput, request: JsonObject): Promise<RunRecord> {
    const id = await this.lifecycle.once('run.enqueue', async (tx) => {
      const record = queuedRecord(uuidv7(), input);
      const crowd = await this.lifecycle.crowd(record, tx);
      refuseCrowd(crowd);
      await this.lifecycle.enqueue(record, crowd.turn, input, request, tx);
      await this.jobs.send(this.queue, [{ ...jobOf(record.id), priority: -crowd.turn }], tx);
      return record.id;
    });
    this.jobs.wake(this.queue);
    return queuedRecord(id, input);
  }

  /** A job that comes a second time finds its run begun, or ended: whoever began it ends it, or the reaper. */
  private async work({ data: { runId }, signal }: RunningJob<RunJob>): Promise<void> {
    const { executor } = this;
    if (executor === null) throw new Error('Nobody carries out runs yet');
    if (this.active.get(runId) !== undefined) return this.leaveToNextTry(runId);
    const claimed = await this.lifecycle.claim(runId, this.active.workerId);
    if (claimed === null) return;
    await this.carryOut(runId, claimed, executor, signal);
  }

  /** The reaper queued a run that this process still has. This process gives it up, and the job is tried again. */
  private async leaveToNextTry(runId: string): Promise<void> {
    if (!(await this.lifecycle.isQueued(runId))) return;
    this.journal.lose(runId);
    throw new AppError('worker_lost', 'The earlier try of the run has not ended yet');
  }

  private async carryOut(id: string, claimed: ClaimedRun, executor: RunExecutor, signal: AbortSignal): Promise<void> {
    const log = this.journal.open(id);
    const { input, request, createdAt, lastSeq, retries } = claimed;
    const run = new Run(input, { id, createdAt, log, lastSeq });
    this.active.add(run);
    const stop = (): void => {
      // Another try of the job means nothing to a run: its row says whose it is.
      if (!(signal.reason instanceof JobAborted && signal.reason.reason === 'lost')) run.abort('server_shutdown');
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const { id: assistantId, type } = input.assistant;
    if (lastSeq === 0)
      run.emit({ type: 'run.started', assistant_id: assistantId, assistant_type: type, strategy: input.strategy });
    if (retries > 0) run.emit({ type: 'warning', code: 'worker_lost', message: BEGUN_AGAIN });
    await vendorGate.run(this.gateOf(run), () => this.execute(run, () => executor(run, request)));
    signal.removeEventListener('abort', stop);
    await log.settled;
    this.active.delete(id);
  }

  /** Records once, before the first call, that a vendor is asked. Without the record no call is made. */
  private gateOf(run: Run): () => Promise<void> {
    let asked: Promise<void> | null = null;
    return () => (asked ??= this.askVendor(run));
  }

  private async askVendor(run: Run): Promise<void> {
    const deadline = performance.now() + DATABASE_PATIENCE_MS;
    for (;;) {
      run.signal.throwIfAborted();
      try {
        if (await this.lifecycle.askVendor(run.id, this.active.workerId)) return;
        this.journal.lose(run.id);
        throw new AppError('worker_lost', 'Another process has taken the run over');
      } catch (error) {
        if (!isDatabaseUnavailable(error) || performance.now() > deadline) throw error;
        await sleep(DATABASE_PAUSE_MS, undefined, { signal: run.signal });
      }
    }
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

const failureOf = (error: unknown): RunOutcome =>
  error instanceof AppError ? { status: 'failed', errorCode: error.code, message: error.detail } : NOT_ENDED;

function abortedAs(reason: string): RunOutcome {
  const failure = abortFailure(reason);
  return failure === null ? { status: 'cancelled', errorCode: 'cancelled', message: reason } : failureOf(failure);
}
