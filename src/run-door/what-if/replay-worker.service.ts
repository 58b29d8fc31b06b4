import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CallerRenewal } from '../../auth';
import { AppError, type Caller, type ErrorCode } from '../../kernel';
import { CONFIG, type Config } from '../../platform/config';
import { Transactions } from '../../platform/database';
import { toAppError } from '../../platform/http';
import { JobQueue, type Queue, type RunningJob } from '../../platform/jobs';
import { RunsService } from '../../runs';
import { RunReplays } from '../replays/run-replays.service';
import { ReplayRepository } from './replay.repository';
import type { ReplayEntity } from './replay.entity';
import type { ReplayItem } from './what-if.types';

interface ReplayJob {
  readonly replayId: string;
  readonly organizationId: string;
}

const QUEUE: Queue<ReplayJob> = { name: 'replay', concurrency: 4, retries: 20, retryDelay: 2 };
/** Repetitions of one batch that wait or go on at once. The rest of the person's runs have room beside them. */
const AT_ONCE = 5;
const LOOK_MS = 500;
const SWEEP_MS = 60_000;
/** Refusals that pass with time; the batch waits for them. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['too_many_requests', 'rate_limited', 'overloaded', 'unavailable']);
const LONGEST_WAIT_SECONDS = 60;
const CANCELLED = 'the comparison was cancelled';

/** Works through batches of repetitions as background runs of the person who asked, within their limits. */
@Injectable()
export class ReplayWorker {
  private readonly logger = new Logger('Replays');

  constructor(
    private readonly replays: ReplayRepository,
    private readonly starting: RunReplays,
    private readonly runs: RunsService,
    private readonly callers: CallerRenewal,
    private readonly transactions: Transactions,
    private readonly jobs: JobQueue,
    @Inject(CONFIG) config: Config,
  ) {
    jobs.declare(QUEUE, (job) => this.work(job));
    jobs.sweep(SWEEP_MS, async ({ first }) => {
      await this.takeUp();
      if (!first) await this.replays.removeOlderThan(config.runs.retentionDays);
    });
  }

  /** Stores a batch with its job. */
  async enqueue(
    batch: Pick<ReplayEntity, 'id' | 'organizationId' | 'userId' | 'caller' | 'wish' | 'items'>,
  ): Promise<void> {
    const { organizationId, ...values } = batch;
    await this.transactions.run(async (tx) => {
      await this.replays.within(organizationId, tx).insert(values);
      const job = { key: batch.id, data: { replayId: batch.id, organizationId } };
      await this.jobs.send(QUEUE, [job], tx);
    });
    this.jobs.wake(QUEUE);
  }

  private async takeUp(): Promise<void> {
    const open = await this.replays.unfinished();
    const lost = new Set(
      await this.jobs.withoutJob(
        QUEUE,
        open.map(({ id }) => id),
      ),
    );
    const jobs = open
      .filter(({ id }) => lost.has(id))
      .map(({ id, organizationId }) => ({ key: id, data: { replayId: id, organizationId } }));
    await this.transactions.run((tx) => this.jobs.send(QUEUE, jobs, tx));
  }

  private async work({ data: { replayId, organizationId }, signal }: RunningJob<ReplayJob>): Promise<void> {
    const scope = this.replays.within(organizationId);
    for (;;) {
      signal.throwIfAborted();
      const batch = await scope.find(replayId);
      if (batch === null || batch.finishedAt !== null) return;
      const going = await this.going(batch);
      if (batch.cancelledAt !== null) await this.cancelRuns(organizationId, going);
      const index = batch.cancelledAt === null ? batch.items.findIndex(isWaiting) : -1;
      if (index < 0 && going.length === 0) return scope.finish(replayId);
      const pauseMs = index < 0 || going.length >= AT_ONCE ? LOOK_MS : await this.begin(batch, index);
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal });
    }
  }

  /** Repetitions that have not ended. */
  private async going({ organizationId, items }: ReplayEntity): Promise<readonly string[]> {
    const ids = items.flatMap(({ run }) => run ?? []);
    return this.runs.unended(organizationId, ids);
  }

  /** Starts a repetition, or notes why not. Returns the pause before the next step. */
  private async begin({ id, caller, wish, items }: ReplayEntity, index: number): Promise<number> {
    const item = items[index];
    if (item === undefined) return 0;
    try {
      const renewed = await this.callers.renew(caller);
      await this.starting.start(renewed, item.of, wish, (run, tx) =>
        this.replays.setItem(id, index, { ...item, run }, tx),
      );
      return 0;
    } catch (error) {
      const refusal = toAppError(error);
      if (PASSING.has(refusal.code)) return 1_000 * Math.min(refusal.retryAfter ?? 1, LONGEST_WAIT_SECONDS);
      if (refusal.code === 'internal_error') this.logger.error({ msg: 'a run could not be repeated', err: error });
      await this.replays.setItem(id, index, refused(item, refusal));
      return 0;
    }
  }

  private async cancelRuns(organizationId: string, ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      await this.runs.cancel(organizationId, id, CANCELLED).catch((error: unknown) => {
        // It ended meanwhile.
        if (!(error instanceof AppError)) throw error;
      });
    }
  }
}

const isWaiting = ({ run, refusal }: ReplayItem): boolean => run === null && refusal === null;

const refused = (item: ReplayItem, { code, detail, reason, problems }: AppError): ReplayItem => ({
  ...item,
  refusal: { code, detail, ...(reason === undefined ? {} : { reason }), problems },
});

/** The caller as it is stored: without the request. */
export function storedCaller({ origin: _origin, ...caller }: Caller): Caller {
  return caller;
}
