import { setTimeout as sleep } from 'node:timers/promises';

/** Returns the ids that are still unfinished. */
export type Unfinished = (ids: readonly string[]) => Promise<ReadonlySet<string>>;

interface Wait {
  readonly ids: readonly string[];
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Delay until work of another process is noticed. */
const POLL_MS = 500;

/** Waits for rows to be finished. One query at a time polls for all waiting requests. */
export class BatchPoller {
  private readonly waits = new Set<Wait>();
  private polling = false;
  private notified = new AbortController();

  constructor(
    private readonly unfinished: Unfinished,
    private readonly isStopping: () => boolean,
  ) {}

  /** Polls now: this process has finished something. */
  notify(): void {
    this.notified.abort();
  }

  /** Resolves when all ids are finished, after the limit, or when the process stops. */
  wait(ids: readonly string[], limitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waits.add({ ids, until: performance.now() + limitMs, resolve, reject });
      this.notify();
      if (!this.polling) void this.poll();
    });
  }

  private async poll(): Promise<void> {
    this.polling = true;
    while (this.waits.size > 0) {
      this.notified = new AbortController();
      const { signal } = this.notified;
      const started = performance.now();
      await this.check([...this.waits]);
      // Pauses as long as the query took: polling uses at most half of a connection's time.
      await sleep(performance.now() - started);
      if (this.waits.size > 0) await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
    this.polling = false;
  }

  private async check(waits: readonly Wait[]): Promise<void> {
    try {
      const open = await this.unfinished([...new Set(waits.flatMap(({ ids }) => ids))]);
      const now = performance.now();
      for (const wait of waits) {
        const over = now > wait.until || this.isStopping() || !wait.ids.some((id) => open.has(id));
        if (over && this.waits.delete(wait)) wait.resolve();
      }
    } catch (error) {
      for (const wait of waits) if (this.waits.delete(wait)) wait.reject(error);
    }
  }
}
