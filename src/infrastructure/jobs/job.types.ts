/** Settings of a queue. Every process that starts workers declares its queues before `JobQueue.start()`. */
export interface Queue<Data extends object> {
  /** Letters, digits and hyphens; also its name in the database. */
  readonly name: string;
  /** Jobs that one process runs at once. */
  readonly concurrency: number;
  /** Further tries after the first; a process that died during a job counts as a try. */
  readonly retries: number;
  /** Seconds before the first retry; each further wait is twice as long, with jitter. At least 1. */
  readonly retryDelay: number;
  /** Milliseconds after which the job's signal is aborted; then it is retried. Absent: no limit. */
  readonly timeoutMs?: number;
  /** Carries the type of the data; never set. */
  readonly data?: Data;
}

export interface NewJob<Data extends object> {
  /** Subject of the job, such as the id of a row; for `JobQueue.withoutJob`. */
  readonly key: string;
  readonly data: Data;
  /** Higher runs first; 0 when absent. */
  readonly priority?: number;
}

/** A running job. */
export interface RunningJob<Data extends object> {
  readonly id: string;
  readonly data: Data;
  /** True when no retry follows. */
  readonly lastTry: boolean;
  /** Aborted with a `JobAborted` when the process stops, the time is up, or another process took the job over. */
  readonly signal: AbortSignal;
}

/** Resolves when the job is done; rejects for a retry. Must be idempotent: a job may run again. */
export type JobHandler<Data extends object> = (job: RunningJob<Data>) => Promise<void>;

export type AbortCause = 'shutdown' | 'timeout' | 'lost';

/** Why a job's signal was aborted. */
export class JobAborted extends Error {
  constructor(readonly reason: AbortCause) {
    super(`The job was ended: ${reason}`);
    this.name = 'JobAborted';
  }
}

export interface SweepContext {
  /** This process has no replicas: active rows belong to a dead process. */
  readonly alone: boolean;
  /** The first run, before any worker starts. */
  readonly first: boolean;
}
