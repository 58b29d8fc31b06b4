import {
  AppError,
  type Caller,
  type Page,
  type PageRequest,
  isOrganizationAdmin,
  isUuid,
  notFound,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { CallerRenewal } from '../auth';
import { type Transaction, Transactions, processLabel } from '../infrastructure/database';
import { JobQueue, type Queue, type RunningJob, type SweepContext } from '../infrastructure/jobs';
import { OrganizationsService } from '../organizations';
import { BatchItemRepository } from './batches/batch-item.repository';
import { type ApplyRequest, BatchLeases, type TaskRequest, isHeld } from './batches/batch-lease.service';
import { BatchRepository } from './batches/batch.repository';
import {
  type Batch,
  type BatchItem,
  type BatchScope,
  ITEM_STATUSES,
  type ItemStatus,
  type MigrationPlan,
  type OrganizationStatus,
  type RollbackReport,
  type TargetVersion,
} from './batches/batch.types';
import { MigrationBatches } from './tasks/migration-batches.service';
import { MigrationPlanner } from './tasks/migration-planner.service';

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

export interface MigrationStatus {
  readonly organizations: readonly OrganizationStatus[];
  readonly batches: Page<Batch>;
}

const BATCH_SIZE = 100;
const LISTED = 20;
const RETRY_SECONDS = 10;

/** Migrations for administrators. A system administrator reaches every organization, others their own. */
@Injectable()
export class MigrationAdmin {
  /** Organizations with a running dry run in this process; null stands for a dry run of all organizations. */
  private readonly planned = new Set<string | null>();

  constructor(
    private readonly planner: MigrationPlanner,
    private readonly jobs: MigrationJobs,
    private readonly work: MigrationBatches,
    private readonly batches: BatchRepository,
    private readonly items: BatchItemRepository,
    private readonly organizations: OrganizationsService,
  ) {}

  async status(caller: Caller, page: PageRequest, signal: AbortSignal): Promise<MigrationStatus> {
    const reach = organizationOf(caller);
    return { organizations: await this.planner.status(reach, signal), batches: await this.batches.page(reach, page) };
  }

  /** @throws {AppError} `not_found` for an organization out of reach; `conflict` while another dry run of it runs */
  async plan(caller: Caller, slug: string | undefined, to: TargetVersion, signal: AbortSignal): Promise<MigrationPlan> {
    const scope = await this.scope(caller, slug, to);
    const { organizationId } = scope;
    if (this.planned.has(organizationId))
      throw new AppError('conflict', 'A dry run of these assistants is already running', {
        reason: 'batch.dry_run_busy',
        retryAfter: RETRY_SECONDS,
      });
    this.planned.add(organizationId);
    try {
      return await this.planner.plan(scope, LISTED, { signal, report: () => undefined });
    } finally {
      this.planned.delete(organizationId);
    }
  }

  /** @throws {AppError} `not_found`, `conflict` */
  async apply(caller: Caller, slug: string | undefined, to: TargetVersion): Promise<Batch> {
    return this.jobs.apply({ ...(await this.scope(caller, slug, to)), batchSize: BATCH_SIZE }, caller);
  }

  /** @throws {AppError} `not_found` */
  async batch(caller: Caller, id: string): Promise<Batch> {
    const found = isUuid(id) ? await this.batches.find(id) : null;
    const reach = organizationOf(caller);
    if (found === null || (reach !== null && found.organizationId !== reach)) throw notFound('Batch');
    return found;
  }

  async itemsOf(batch: Batch, status: ItemStatus | undefined, page: PageRequest): Promise<Page<BatchItem>> {
    return this.items.page(batch.id, status === undefined ? ITEM_STATUSES : [status], page);
  }

  /** @throws {AppError} `conflict` with the assistants that were saved since, unless forced */
  async rollBack(caller: Caller, id: string, force: boolean): Promise<Batch> {
    const { id: batchId } = await this.batch(caller, id);
    await this.work.assertUnedited(batchId, force);
    return this.jobs.begin(batchId, { task: 'rollback', forced: force }, caller);
  }

  async rollBackOne(caller: Caller, id: string, assistantId: number, force: boolean): Promise<RollbackReport> {
    const { id: batchId } = await this.batch(caller, id);
    return this.work.rollBackOne(batchId, assistantId, force, { label: `the server (${processLabel})`, actor: caller });
  }

  async verify(caller: Caller, id: string): Promise<Batch> {
    const { id: batchId } = await this.batch(caller, id);
    return this.jobs.begin(batchId, { task: 'verify' }, caller);
  }

  private async scope(caller: Caller, slug: string | undefined, to: TargetVersion): Promise<BatchScope> {
    if (slug !== undefined) return { organizationId: await this.organizations.administered(caller, slug), to };
    return { organizationId: organizationOf(caller), to };
  }
}

/** Null: all organizations. */
const organizationOf = ({ systemAdmin, organizationId }: Caller): string | null =>
  systemAdmin ? null : organizationId;
