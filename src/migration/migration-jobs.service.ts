import { AppError, type Caller, isOrganizationAdmin } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { CallerRenewal } from '../auth';
import { processLabel, type Transaction, Transactions } from '../infrastructure/database';
import { JobQueue, type Queue, type RunningJob, type SweepContext } from '../infrastructure/jobs';
import { type ApplyRequest, BatchLeases, isHeld, type TaskRequest } from './batches/batch-lease.service';
import { BatchRepository } from './batches/batch.repository';
import type { Batch } from './batches/batch.types';
import { MigrationBatches } from './tasks/migration-batches.service';

interface BatchJob {
  readonly batchId: string;
}

const QUEUE: Queue<BatchJob> = { name: 'metadata-migration', concurrency: 1, retries: 5, retryDelay: 2 };
/** Interval in which a batch that lost its job, or was held by another process, gets a new job. */
const SWEEP_MS = 15_000;

/** Runs the batches of the API as jobs of the server. They survive restarts. */
@Injectable()
export class MigrationJobs {
  constructor(
    private readonly jobs: JobQueue,
    private readonly leases: BatchLeases,
    private readonly batches: BatchRepository,
    private readonly work: MigrationBatches,
    private readonly transactions: Transactions,
    private readonly callers: CallerRenewal,
  ) {
    jobs.declare(QUEUE, (job) => this.run(job));
    jobs.sweep(SWEEP_MS, (context) => this.takeUp(context));
  }

  /** @throws {AppError} `conflict` while another process works on a batch with some of the same assistants */
  async apply(request: ApplyRequest, actor: Caller): Promise<Batch> {
    const batch = await this.leases.beginLater(request, actor, (queued, tx) => this.send([queued.id], tx));
    this.jobs.wake(QUEUE);
    return batch;
  }

  /** @throws {AppError} `conflict` */
  async begin(id: string, request: TaskRequest, actor: Caller): Promise<Batch> {
    const batch = await this.leases.claimLater(id, request, actor, (queued, tx) => this.send([queued.id], tx));
    this.jobs.wake(QUEUE);
    return batch;
  }

  private async run({ data, lastTry, signal }: RunningJob<BatchJob>): Promise<void> {
    const control = { signal, report: () => undefined };
    const complete = await this.work.runQueued(
      data.batchId,
      `the server (${processLabel})`,
      lastTry,
      control,
      (batch) => this.admit(batch),
    );
    if (!complete) throw signal.reason;
  }

  /** Rights may have changed since the task was requested. @throws {AppError} `unauthenticated`, `forbidden` */
  private async admit({ actor: asked, organizationId }: Batch): Promise<Caller | null> {
    if (asked === null) return null;
    const actor = await this.callers.renew(asked);
    const reaches = actor.systemAdmin || organizationId === actor.organizationId;
    if (reaches && isOrganizationAdmin(actor) && actor.assistantIds === null) return actor;
    throw new AppError('forbidden', 'The person who asked for this is no longer an administrator of these assistants');
  }

  /** Queues jobs for batches without one. The only process on a database ignores leases at its start: their holders are gone. */
  async takeUp({ alone, first }: SweepContext): Promise<void> {
    const waiting = (await this.batches.inBackground()).filter((batch) => (alone && first) || !isHeld(batch));
    const lost = await this.jobs.withoutJob(
      QUEUE,
      waiting.map(({ id }) => id),
    );
    if (lost.length === 0) return;
    await this.transactions.run((tx) => this.send(lost, tx));
    this.jobs.wake(QUEUE);
  }

  private send(ids: readonly string[], tx: Transaction): Promise<void> {
    return this.jobs.send(
      QUEUE,
      ids.map((id) => ({ key: id, data: { batchId: id } })),
      tx,
    );
  }
}
