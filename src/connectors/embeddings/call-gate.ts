import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, Gate } from '../../kernel';

/** Longest wait of a job. A job that would wait longer fails, because it blocks a worker for other organizations. */
const MOST_WAIT_MS = 60_000;

/** Calls of one organization to one provider: a few at a time, and none before the time of a `Retry-After`. */
export class CallGate {
  private openAt = 0;
  private readonly gate: Gate;

  constructor(parallel: number) {
    this.gate = new Gate(parallel);
  }

  get isIdle(): boolean {
    return this.gate.isIdle && Date.now() >= this.openAt;
  }

  /** No call begins before `ms` have passed. */
  close(ms: number): void {
    this.openAt = Math.max(this.openAt, Date.now() + ms);
  }

  /**
   * Rejects with `cancelled` when the signal aborts before `work` begins, and with `upstream_rate_limited` after a
   * long `Retry-After`.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    let begun = false;
    try {
      return await this.gate.run(async () => {
        const wait = this.openAt - Date.now();
        if (wait > MOST_WAIT_MS) throw limited(wait);
        if (wait > 0) await sleep(wait, undefined, { signal });
        begun = true;
        return work();
      }, signal);
    } catch (error) {
      throw !begun && signal.aborted ? new AppError('cancelled', 'The request was cancelled') : error;
    }
  }
}

const limited = (ms: number): AppError =>
  new AppError('upstream_rate_limited', 'The model vendor limits requests at the moment', {
    retryAfter: Math.ceil(ms / 1_000),
  });
