import { AppError, type Caller, isUuid, notFound, type Page, type PageRequest } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { OrganizationsService } from '../organizations';
import { processLabel } from '../infrastructure/database';
import { BatchItemRepository } from './batches/batch-item.repository';
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
import { MigrationJobs } from './migration-jobs.service';

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
