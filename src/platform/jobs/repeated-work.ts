/**
 * Work that is done again and again in the background: each kind one at a time, and of failures in a row (the database may
 * be away) the first is told.
 */
export class RepeatedWork {
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly busy = new Set<Promise<void>>();

  constructor(private readonly failed: (error: unknown) => void) {}

  get isBegun(): boolean {
    return this.timers.length > 0;
  }

  every(everyMs: number, work: () => Promise<void>): void {
    let running = false;
    let failing = false;
    const once = async (): Promise<void> => {
      try {
        await work();
        failing = false;
      } catch (error) {
        if (!failing) this.failed(error);
        failing = true;
      } finally {
        running = false;
      }
    };
    const timer = setInterval(() => {
      if (running) return;
      running = true;
      this.track(once());
    }, everyMs);
    timer.unref();
    this.timers.push(timer);
  }

  /** Work that was begun otherwise and is to be waited for, too; its failure is its own affair. */
  track(work: Promise<void>): void {
    const tracked = work.catch(() => undefined).finally(() => this.busy.delete(tracked));
    this.busy.add(tracked);
  }

  /** Begins nothing any more; what goes on may end. */
  stop(): void {
    for (const timer of this.timers.splice(0)) clearInterval(timer);
  }

  /** Resolves when nothing goes on. */
  async settled(): Promise<void> {
    await Promise.all(this.busy);
  }
}
