/** How a queue treats its jobs. Every process that starts workers declares its queues before `JobQueue.start()`. */
export interface Queue<Data extends object> {
  /** Letters, digits and hyphens; also the name under which the database knows it. */
  readonly name: string;
  /** Jobs that one process runs at once. */
  readonly concurrency: number;
  /** Further tries after the first; a process that died during a job counts as a try. */
  readonly retries: number;
  /** Seconds before the first retry; each further wait is twice as long, with jitter. At least 1. */
  readonly retryDelay: number;
  /** Milliseconds after which the job's signal is aborted; then it is retried. Absent: no limit. */
  readonly timeoutMs?: number;
  /** Never there: it carries the type of the data. */
  readonly data?: Data;
}

export interface NewJob<Data extends object> {
  /** What the job is about (a row's id, say), for `JobQueue.withoutJob`. */
  readonly key: string;
  readonly data: Data;
  /** Higher runs first; 0 when absent. */
  readonly priority?: number;
}

/** A job in the hands of its handler. */
export interface RunningJob<Data extends object> {
  readonly id: string;
  readonly data: Data;
  /** No retry follows when this try fails. */
  readonly lastTry: boolean;
  /** Aborted with a `JobAborted` when the process stops, the time is up, or another process has taken the job over. */
  readonly signal: AbortSignal;
}

/**
 * Resolves when the job is done; rejects to have it retried. May be called again for a job that was already dealt with,
 * so it must find that out by itself.
 */
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
  /** No other process works on this database: whatever looks taken was taken by a process that is gone. */
  readonly alone: boolean;
  /** The first run, before any worker starts. */
  readonly first: boolean;
}
