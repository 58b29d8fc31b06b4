import { AppError, type ErrorCode } from '@bellwether/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { toAppError } from '../infrastructure/http';
import { RunsService } from '../runs';

/** Runs of one batch that wait or go on at once. The rest of the person's runs have capacity beside them. */
const AT_ONCE = 5;
const LOOK_MS = 500;
/** After so long a batch gives its place to others that wait: a few long ones would hold up those of everybody else. */
const TURN_MS = 20_000;
/** Refusals that pass with time; the batch waits for them. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['too_many_requests', 'rate_limited', 'overloaded', 'unavailable']);
const LONGEST_WAIT_SECONDS = 60;

/** The next run of a batch. */
export interface NextRun {
  start(): Promise<void>;
  /** Notes why it could not be started. */
  refuse(refusal: AppError): Promise<void>;
}

export interface BatchState {
  readonly organizationId: string;
  readonly cancelled: boolean;
  /** Runs that were started and whose end is not noted yet. */
  readonly going: readonly string[];
  /** Null when none waits. */
  readonly next: NextRun | null;
}

/** Many background runs, stored by their module. */
export interface RunBatch {
  /** Reason of runs that the end of the batch cancels. */
  readonly cancelReason: string;
  /** The stored state; null when the batch is finished or gone. */
  look(): Promise<BatchState | null>;
  finish(): Promise<void>;
  /** Queues the batch behind those that wait. */
  queueAgain(): Promise<void>;
}

/** Works through batches of background runs within the limits of the organization. */
@Injectable()
export class RunBatches {
  private readonly logger = new Logger('RunBatches');

  constructor(private readonly runs: RunsService) {}

  /** Resolves when the batch is finished or queued again. Its state is stored, so that another process can go on. */
  async work(batch: RunBatch, signal: AbortSignal): Promise<void> {
    const turnEnds = performance.now() + TURN_MS;
    while (performance.now() < turnEnds) {
      signal.throwIfAborted();
      const state = await batch.look();
      if (state === null) return;
      const { organizationId, cancelled, going } = state;
      if (cancelled) await this.cancel(organizationId, going, batch.cancelReason);
      const next = cancelled ? null : state.next;
      if (next === null && going.length === 0) return batch.finish();
      const pauseMs = next === null || going.length >= AT_ONCE ? LOOK_MS : await this.begin(next);
      const turnMs = Math.max(0, turnEnds - performance.now());
      if (pauseMs > 0) await sleep(Math.min(pauseMs, turnMs), undefined, { signal });
    }
    signal.throwIfAborted();
    await batch.queueAgain();
  }

  /** Starts a run, or has it noted why not. Returns the pause before the next step. */
  private async begin(next: NextRun): Promise<number> {
    try {
      await next.start();
    } catch (error) {
      const refusal = toAppError(error);
      if (PASSING.has(refusal.code)) return 1_000 * Math.min(refusal.retryAfter ?? 1, LONGEST_WAIT_SECONDS);
      if (refusal.code === 'internal_error') this.logger.error({ msg: 'a run could not be started', err: error });
      await next.refuse(refusal);
    }
    return 0;
  }

  private async cancel(organizationId: string, ids: readonly string[], reason: string): Promise<void> {
    for (const id of ids) {
      await this.runs.cancel(organizationId, id, reason).catch((error: unknown) => {
        // It ended meanwhile.
        if (!(error instanceof AppError)) throw error;
      });
    }
  }
}
