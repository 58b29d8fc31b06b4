import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AppError } from '../../kernel';
import type { Run } from '../../runs';

/** Abort reasons; those that make a run fail instead of being cancelled are listed in `abortFailure`. */
export const CLIENT_GONE = 'client_gone';
export const SERVER_SHUTDOWN = 'server_shutdown';

/** After the limit a run has this long to say why it ends. */
const FAREWELL_MS = 2_000;
const RETRY_AFTER_SECONDS = 5;

const shuttingDown = (): AppError =>
  new AppError('server_shutdown', 'The server is shutting down', { retryAfter: RETRY_AFTER_SECONDS });

/** Every completion that is being answered, so that a shutdown can let them finish and then end them with a word. */
@Injectable()
export class StreamsInFlight implements OnModuleDestroy {
  private readonly runs = new Set<Run>();
  private draining: Promise<void> | null = null;
  private settled: (() => void) | null = null;

  get size(): number {
    return this.runs.size;
  }

  /** Returns what to call when the answer has ended. */
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

  /** Whoever closes the application without draining first still leaves no stream without an end. */
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
