import { AppError } from '@bellwether/kernel';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Run } from '../../runs';

/** Abort reasons. `abortFailure` lists the reasons that make a run fail. */
export const CLIENT_GONE = 'client_gone';
export const SERVER_SHUTDOWN = 'server_shutdown';

/** Time for aborted runs to send their last event. */
const FAREWELL_MS = 2_000;
const RETRY_AFTER_SECONDS = 5;

const shuttingDown = (): AppError =>
  new AppError('server_shutdown', 'The server is shutting down', { retryAfter: RETRY_AFTER_SECONDS });

/** Open completions. A shutdown waits for them and then ends the rest with an error event. */
@Injectable()
export class StreamsInFlight implements OnModuleDestroy {
  private readonly runs = new Set<Run>();
  private draining: Promise<void> | null = null;
  private settled: (() => void) | null = null;

  get size(): number {
    return this.runs.size;
  }

  /** Returns the function to call at the end of the answer. */
  enter(run: Run): () => void {
    this.runs.add(run);
    return () => {
      this.runs.delete(run);
      if (this.runs.size === 0) this.settled?.();
    };
  }

  /** @throws `server_shutdown` once draining has begun. */
  assertOpen(): void {
    if (this.draining !== null) throw shuttingDown();
  }

  /** Refuses new completions, waits for those in flight, and after `limitMs` ends the rest as `server_shutdown`. */
  drain(limitMs: number): Promise<void> {
    this.draining ??= this.drainWithin(limitMs);
    return this.draining;
  }

  /** Ends open streams when the application closes without draining first. */
  onModuleDestroy(): Promise<void> {
    return this.drain(0);
  }

  private async drainWithin(limitMs: number): Promise<void> {
    if (limitMs > 0) await this.empty(limitMs);
    for (const run of this.runs) run.abort(SERVER_SHUTDOWN);
    await this.empty(FAREWELL_MS);
  }

  private async empty(limitMs: number): Promise<void> {
    if (this.runs.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.settled = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.settled = null;
  }
}
