import type { AppError, Caller } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { type BatchState, type NextRun, RunBatches } from '../../../src/answering';
import { CallerRenewal } from '../../../src/auth';
import { CONFIG, type Config } from '../../../src/infrastructure/config';
import { Transactions } from '../../../src/infrastructure/database';
import { JobQueue, type Queue, type RunningJob } from '../../../src/infrastructure/jobs';
import { RunsService } from '../../../src/runs';
import { RunReplays } from '../replays/run-replays.service';
import { ReplayRepository } from './replay.repository';
import type { ReplayEntity } from './replay.entity';
import type { ReplayItem } from './what-if.types';

interface ReplayJob {
  readonly replayId: string;
  readonly organizationId: string;
}

const QUEUE: Queue<ReplayJob> = { name: 'replay', concurrency: 4, retries: 20, retryDelay: 2 };
const SWEEP_MS = 60_000;
const CANCELLED = 'the comparison was cancelled';

/** Works through batches of repetitions as background runs of the person who asked, within their limits. */
@Injectable()
export class ReplayWorker {
  constructor(
    private readonly replays: ReplayRepository,
    private readonly starting: RunReplays,
    private readonly runs: RunsService,
    private readonly batches: RunBatches,
    private readonly callers: CallerRenewal,
    private readonly transactions: Transactions,
    private readonly jobs: JobQueue,
    @Inject(CONFIG) config: Config,
  ) {
    jobs.declare(QUEUE, (job) => this.work(job));
    jobs.sweep(SWEEP_MS, async ({ first }) => {
      await this.jobs.sendLost(QUEUE, (await this.replays.unfinished()).map(jobOf));
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
      await this.jobs.send(QUEUE, [jobOf(batch)], tx);
    });
    this.jobs.wake(QUEUE);
  }

  private work({ data: { replayId, organizationId }, signal }: RunningJob<ReplayJob>): Promise<void> {
    const scope = this.replays.within(organizationId);
    const look = async (): Promise<BatchState | null> => {
      const batch = await scope.find(replayId);
      if (batch === null || batch.finishedAt !== null) return null;
      const started = batch.items.flatMap(({ run }) => run ?? []);
      const going = await this.runs.unended(organizationId, started);
      return { organizationId, cancelled: batch.cancelledAt !== null, going, next: this.next(batch) };
    };
    const finish = (): Promise<void> => scope.finish(replayId);
    const job = jobOf({ id: replayId, organizationId });
    const queueAgain = (): Promise<void> => this.transactions.run((tx) => this.jobs.send(QUEUE, [job], tx));
    return this.batches.work({ cancelReason: CANCELLED, look, finish, queueAgain }, signal);
  }

  private next({ id, caller, wish, items }: ReplayEntity): NextRun | null {
    const index = items.findIndex(isWaiting);
    const item = items[index];
    if (item === undefined) return null;
    return {
      start: async () => {
        const renewed = await this.callers.renew(caller);
        await this.starting.start(renewed, item.of, wish, (run, tx) =>
          this.replays.setItem(id, index, { ...item, run }, tx),
        );
      },
      refuse: (refusal) => this.replays.setItem(id, index, refused(item, refusal)),
    };
  }
}

const jobOf = ({ id, organizationId }: Pick<ReplayEntity, 'id' | 'organizationId'>) => ({
  key: id,
  data: { replayId: id, organizationId },
});

const isWaiting = ({ run, refusal }: ReplayItem): boolean => run === null && refusal === null;

const refused = (item: ReplayItem, { code, detail, reason, problems }: AppError): ReplayItem => ({
  ...item,
  refusal: { code, detail, ...(reason === undefined ? {} : { reason }), problems },
});

/** The caller as it is stored: without the request. */
export function storedCaller({ origin: _origin, ...caller }: Caller): Caller {
  return caller;
}
