import { AppError } from '../../kernel';

/** Whoever would have to wait longer is sent away: a job that waits keeps its place from other organizations' jobs. */
const MOST_WAIT_MS = 60_000;

/** Calls of one organization to one provider: so many at a time, and none before a time that the vendor named. */
export class CallGate {
  private active = 0;
  private openAt = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly parallel: number) {}

  get isIdle(): boolean {
    return this.active === 0 && this.waiting.length === 0 && Date.now() >= this.openAt;
  }

  /** No call begins before `ms` have passed. */
  close(ms: number): void {
    this.openAt = Math.max(this.openAt, Date.now() + ms);
  }

  /**
   * Rejects with `cancelled` when the signal is aborted before its turn, and with `upstream_rate_limited` where the vendor
   * named a time that is too far away to wait for.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.enter(signal);
    try {
      return await work();
    } finally {
      this.active -= 1;
      this.waiting.shift()?.();
    }
  }

  private async enter(signal: AbortSignal): Promise<void> {
    while (this.active >= this.parallel) await this.turn(signal);
    this.active += 1;
    const wait = this.openAt - Date.now();
    if (wait <= 0 && !signal.aborted) return;
    try {
      if (wait > MOST_WAIT_MS) throw limited(wait);
      await pause(wait, signal);
    } catch (error) {
      this.active -= 1;
      this.waiting.shift()?.();
      throw error;
    }
  }

  private turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(cancelled());
      const go = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        const at = this.waiting.indexOf(go);
        if (at !== -1) this.waiting.splice(at, 1);
        reject(cancelled());
      };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(go);
    });
  }
}

const cancelled = (): AppError => new AppError('cancelled', 'The request was cancelled');

const limited = (ms: number): AppError =>
  new AppError('upstream_rate_limited', 'The model vendor limits requests at the moment', {
    retryAfter: Math.ceil(ms / 1_000),
  });

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(cancelled());
    const leave = (): void => {
      clearTimeout(timer);
      reject(cancelled());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave);
      resolve();
    }, ms);
    signal.addEventListener('abort', leave, { once: true });
  });
}
