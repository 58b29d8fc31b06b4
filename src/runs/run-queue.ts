import type { Queue } from '../platform/jobs';

export interface RunJob {
  readonly runId: string;
}

/** Tries to begin a run, for example while the database is away. `RunSweeper` decides about runs that have begun. */
const RETRIES = 10;
const RETRY_DELAY_SECONDS = 1;

export const runQueue = (concurrency: number): Queue<RunJob> => ({
  name: 'run',
  concurrency,
  retries: RETRIES,
  retryDelay: RETRY_DELAY_SECONDS,
});

export const jobOf = (runId: string): { key: string; data: RunJob } => ({ key: runId, data: { runId } });
