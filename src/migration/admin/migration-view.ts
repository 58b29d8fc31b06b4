import { type Page, snakeCased } from '../../kernel';
import type {
  Batch,
  BatchItem,
  MigrationPlan,
  OrganizationStatus,
  RollbackReport,
  VerifyReport,
} from '../batches/batch.types';
import type {
  BatchDto,
  BatchItemDto,
  BatchItemPageDto,
  MigrationPlanDto,
  OrganizationVersionsDto,
  RollbackResultDto,
  VerifyResultDto,
} from '../batches/migration-answer.dto';

/** A batch whose process ended unexpectedly is interrupted, whatever its row says. */
function stateOf({ state, lease, background }: Batch): string {
  return state === 'running' && lease === null && !background ? 'interrupted' : state;
}

/** Without the process id and host name, which are for operators. */
const leaseView = ({ holder, until }: NonNullable<Batch['lease']>): BatchDto['lease'] => ({
  holder: holder.label.replace(/ \(.*$/, ''),
  until: until.toISOString(),
});

export const rollbackView = (report: RollbackReport): RollbackResultDto => snakeCased(report);

export const verifyView = (report: VerifyReport): VerifyResultDto => snakeCased(report);

export function batchView(batch: Batch): BatchDto {
  const { background: _, forced: _forced, batchSize: _size, actor: _actor, ...shown } = batch;
  const { applyCursor: _apply, rollbackCursor: _rollback, lease, ...rest } = shown;
  return { ...snakeCased(rest), state: stateOf(batch), lease: lease === null ? null : leaseView(lease) };
}

export function itemView({ organizationId: _id, oldHash: _old, newHash: _new, ...item }: BatchItem): BatchItemDto {
  return snakeCased(item);
}

export const itemsView = ({ items, ...page }: Page<BatchItem>): BatchItemPageDto => ({
  items: items.map(itemView),
  ...page,
});

export const organizationView = (status: OrganizationStatus): OrganizationVersionsDto => snakeCased(status);

export function planView({ organizationId: _, ...plan }: MigrationPlan): MigrationPlanDto {
  return { dry_run: true, ...snakeCased(plan) };
}
