import { setTimeout as sleep } from 'node:timers/promises';

/** Those of the ids for which there is still something to wait for. */
export type StillOpen = (ids: readonly string[]) => Promise<ReadonlySet<string>>;

interface Wait {
  readonly ids: readonly string[];
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** How soon is noticed what another process has done. */
const LOOK_AGAIN_MS = 500;

/** Requests that wait for documents. However many do, one question at a time is asked for all of them. */
export class WaitingRoom {
  private readonly waits = new Set<Wait>();
  private watching = false;
  private rung = new AbortController();

  constructor(
    private readonly stillOpen: StillOpen,
    private readonly isClosing: () => boolean,
  ) {}

  /** Something has been dealt with in this process. */
  ring(): void {
    this.rung.abort();
  }

  /** Resolves when none of the ids is open any more, after the limit, or when the process stops. */
  wait(ids: readonly string[], limitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waits.add({ ids, until: performance.now() + limitMs, resolve, reject });
      this.ring();
      if (!this.watching) void this.watch();
    });
  }

  private async watch(): Promise<void> {
    this.watching = true;
    while (this.waits.size > 0) {
      this.rung = new AbortController();
      const { signal } = this.rung;
      const asked = performance.now();
      await this.look([...this.waits]);
      // As long as the answer took, so that no more than half of a connection's time goes into it.
      await sleep(performance.now() - asked);
      if (this.waits.size > 0) await sleep(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
    this.watching = false;
  }

  /** Never rejects: whoever waits is told. */
  private async look(waits: readonly Wait[]): Promise<void> {
    try {
      const open = await this.stillOpen([...new Set(waits.flatMap(({ ids }) => ids))]);
      const now = performance.now();
      for (const wait of waits) {
        const over = now > wait.until || this.isClosing() || !wait.ids.some((id) => open.has(id));
        if (over && this.waits.delete(wait)) wait.resolve();
      }
    } catch (error) {
      for (const wait of waits) if (this.waits.delete(wait)) wait.reject(error);
    }
  }
}
