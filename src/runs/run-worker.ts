import { AppError, type ErrorCode } from '@bellwether/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { databaseErrorToAppError, isDatabaseUnavailable } from '../infrastructure/database';
import { JobAborted, type RunningJob } from '../infrastructure/jobs';
import { beforeVendorCall } from '../infrastructure/outbound';
import { RunEndings } from './run-endings';
import { RunJournal } from './run-journal';
import { ActiveRuns, Run } from './run';
import type { RunOutcome } from './run.types';
import { type RunJob, RunJobs } from './background-runs';
import { RUN_EXECUTOR, type RunExecutor } from './run-executor.token';
import { type ClaimedRun, RunQueueRepository } from './run-queue.repository';

const RETRY_AFTER_SECONDS = 5;

/** Abort reasons that are also error codes: the run fails with the code. Every other reason cancels it. */
const FAILURES: Partial<Record<ErrorCode, string>> = {
  server_shutdown: 'The server is shutting down',
  unavailable: 'The run could not be recorded: the database did not answer for too long',
  unauthenticated: 'The credential that asked for this is no longer valid, or its owner no longer a member',
  forbidden: 'The credential that asked for this may not chat any more',
  not_found: 'The assistant is no longer available',
};

/** Null for a reason that cancels the run. */
export function abortFailure(reason: string): AppError | null {
  const code = (Object.keys(FAILURES) as ErrorCode[]).find((known) => known === reason);
  const detail = code === undefined ? undefined : FAILURES[code];
  if (code === undefined || detail === undefined) return null;
  return new AppError(code, detail, code === 'server_shutdown' ? { retryAfter: RETRY_AFTER_SECONDS } : {});
}

/** An aborted run is ended by force after this time, which is shorter than the limit of jobs at a shutdown. */
const ABORT_GRACE_MS = 600;
/** A run waits this long for the database before it asks a vendor. */
const DATABASE_PATIENCE_MS = 30_000;
const DATABASE_PAUSE_MS = 500;

const RETRIED = 'The process that executed the run is gone. The run starts again.';

const UNFINISHED: RunOutcome = {
  status: 'failed',
  errorCode: 'internal_error',
  message: 'The run stopped without a result',
};

/** Executes the background runs whose jobs this process takes. */
@Injectable()
export class RunWorker {
  private readonly logger = new Logger('Runs');

  constructor(
    private readonly queue: RunQueueRepository,
    private readonly journal: RunJournal,
    private readonly endings: RunEndings,
    private readonly active: ActiveRuns,
    jobs: RunJobs,
    @Inject(RUN_EXECUTOR) private readonly executor: RunExecutor,
  ) {
    jobs.declare((job) => this.work(job));
  }

  /** A repeated job finds the run claimed or ended: its worker or the reaper ends it. */
  private async work({ data: { runId }, signal }: RunningJob<RunJob>): Promise<void> {
    if (this.active.get(runId) !== undefined) return this.leaveToNextTry(runId);
    const claimed = await this.queue.claim(runId, this.active.workerId);
    if (claimed !== null) await this.carryOut(runId, claimed, signal);
  }

  /** The reaper queued a run that still runs here: this process drops it, and the job is retried. */
  private async leaveToNextTry(runId: string): Promise<void> {
    if (!(await this.queue.isQueued(runId))) return;
    this.journal.lose(runId);
    throw new AppError('worker_lost', 'The earlier try of the run has not ended yet');
  }

  private async carryOut(id: string, claimed: ClaimedRun, signal: AbortSignal): Promise<void> {
    const log = this.journal.open(id);
    const { input, request, createdAt, lastSeq, retries } = claimed;
    const run = new Run(input, { id, createdAt, log, lastSeq });
    this.active.add(run);
    const stop = (): void => {
      // Losing the job does not end the run: its row names the owner.
      if (!(signal.reason instanceof JobAborted && signal.reason.reason === 'lost')) run.abort('server_shutdown');
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    if (lastSeq === 0) run.start();
    if (retries > 0) run.emit({ type: 'warning', code: 'worker_lost', message: RETRIED });
    await beforeVendorCall.run(this.gateOf(run), () => this.execute(run, () => this.executor.execute(run, request)));
    signal.removeEventListener('abort', stop);
    await log.settled;
    this.active.delete(id);
  }

  /** Marks the run once, before its first vendor call. An unmarked run makes no call. */
  private gateOf(run: Run): () => Promise<void> {
    let marked: Promise<void> | null = null;
    return () => (marked ??= this.markVendorAsked(run));
  }

  private async markVendorAsked(run: Run): Promise<void> {
    const deadline = performance.now() + DATABASE_PATIENCE_MS;
    for (;;) {
      run.signal.throwIfAborted();
      try {
        if (await this.queue.markVendorAsked(run.id, this.active.workerId)) return;
        this.journal.lose(run.id);
        throw new AppError('worker_lost', 'Another process has taken the run over');
      } catch (error) {
        if (!isDatabaseUnavailable(error) || performance.now() > deadline) throw error;
        await sleep(DATABASE_PAUSE_MS, undefined, { signal: run.signal });
      }
    }
  }

  /** Ends the run after the work, or `ABORT_GRACE_MS` after an abort. */
  private async execute(run: Run, work: () => Promise<void>): Promise<void> {
    let outcome = UNFINISHED;
    const worked = (async () => work())().catch((error: unknown) => {
      outcome = failureOf(error);
      if (!run.isClosed) this.logger.error({ msg: 'a background run failed', run_id: run.id, err: error });
    });
    const { signal } = run;
    let aborted!: () => void;
    const overdue = new Promise<void>((resolve) => (aborted = resolve)).then(() => sleep(ABORT_GRACE_MS));
    signal.addEventListener('abort', aborted, { once: true });
    if (signal.aborted) aborted();
    await Promise.race([worked, overdue]);
    signal.removeEventListener('abort', aborted);
    if (!run.isClosed) this.endings.finish(run, run.abortReason === null ? outcome : abortedAs(run.abortReason));
  }
}

function failureOf(error: unknown): RunOutcome {
  const known = error instanceof AppError ? error : databaseErrorToAppError(error);
  return known === null ? UNFINISHED : { status: 'failed', errorCode: known.code, message: known.detail };
}

function abortedAs(reason: string): RunOutcome {
  const failure = abortFailure(reason);
  return failure === null ? { status: 'cancelled', errorCode: 'cancelled', message: reason } : failureOf(failure);
}
