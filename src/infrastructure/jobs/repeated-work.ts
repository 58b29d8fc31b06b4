import { acrossOrganizations } from '../database';
/** Periodic background work. Runs of one kind do not overlap. Only the first of consecutive failures is reported. */
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
        await acrossOrganizations('jobs', work);
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

  /** Makes `settled` wait for other work, whose failure is ignored. */
  track(work: Promise<void>): void {
    const tracked = work.catch(() => undefined).finally(() => this.busy.delete(tracked));
    this.busy.add(tracked);
  }

  /** Starts no more work; running work may end. */
  stop(): void {
    for (const timer of this.timers.splice(0)) clearInterval(timer);
  }

  async settled(): Promise<void> {
    await Promise.all(this.busy);
  }
}
