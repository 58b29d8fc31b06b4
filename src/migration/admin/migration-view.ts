import type { Page } from '../../kernel';
import type { Batch, BatchItem, RollbackReport, VerifyReport } from '../batches/batch.types';
import type { MigrationPlan, OrganizationStatus } from '../batches/migration-plan.types';
import type {
  BatchDto,
  BatchItemDto,
  BatchItemPageDto,
  MigrationPlanDto,
  OrganizationVersionsDto,
  RollbackResultDto,
  VerifyResultDto,
} from './migration-answer.dto';

/** A batch whose process has ended without a word is interrupted, whatever its row still says. */
function stateOf({ state, lease, background }: Batch): string {
  return state === 'running' && lease === null && !background ? 'interrupted' : state;
}

export const rollbackView = (report: RollbackReport): RollbackResultDto => ({
  task: 'rollback',
  at: report.at,
  rolled_back: report.rolledBack,
  edited: report.edited.map(({ assistantId, newVersion, version }) => ({
    assistant_id: assistantId,
    new_version: newVersion,
    version,
  })),
  edited_count: report.editedCount,
  gone: report.gone,
  history_missing: report.historyMissing,
  complete: report.complete,
});

export const verifyView = (report: VerifyReport): VerifyResultDto => ({
  task: 'verify',
  at: report.at,
  checked: report.checked,
  sound: report.sound,
  edited: report.edited,
  gone: report.gone,
  fault_count: report.faultCount,
  faults: report.faults.map(({ assistantId, code, message }) => ({ assistant_id: assistantId, code, message })),
  complete: report.complete,
});

function resultView(result: Batch['result']): BatchDto['result'] {
  if (result === null) return null;
  return result.task === 'rollback' ? rollbackView(result) : verifyView(result);
}

/** Which kind of process it is: its number and machine are for operators' eyes. */
const leaseView = ({ holder, until }: NonNullable<Batch['lease']>): BatchDto['lease'] => ({
  holder: holder.label.replace(/ \(.*$/, ''),
  until: until.toISOString(),
});

/** What HTTP and the commands say of a batch. */
export const batchView = (batch: Batch): BatchDto => ({
  id: batch.id,
  organization_id: batch.organizationId,
  to: batch.to,
  state: stateOf(batch),
  task: batch.task,
  lease: batch.lease === null ? null : leaseView(batch.lease),
  total: batch.total,
  examined: batch.examined,
  migrated: batch.migrated,
  skipped: batch.skipped,
  failed: batch.failed,
  rolled_back: batch.rolledBack,
  result: resultView(batch.result),
  failure: batch.failure,
  created_at: batch.createdAt.toISOString(),
  finished_at: batch.finishedAt?.toISOString() ?? null,
});

export const itemView = (item: BatchItem): BatchItemDto => ({
  assistant_id: item.assistantId,
  status: item.status,
  from: item.from,
  old_version: item.oldVersion,
  new_version: item.newVersion,
  problems: [...item.problems],
  differences: [...item.differences],
  audit_id: item.auditId,
});

export const itemsView = ({ items, ...page }: Page<BatchItem>): BatchItemPageDto => ({
  items: items.map(itemView),
  ...page,
});

export const organizationView = ({
  slug,
  migratable,
  total,
  versions,
}: OrganizationStatus): OrganizationVersionsDto => ({
  slug,
  migratable,
  total,
  versions: [...versions],
});

export const planView = (plan: MigrationPlan): MigrationPlanDto => ({
  dry_run: true,
  to: plan.to,
  examined: plan.examined,
  migrate: plan.migrate,
  current: plan.current,
  skipped: plan.skipped,
  failed: plan.failed,
  versions: [...plan.versions],
  rewrites: plan.rewrites.map(({ assistantId, name, from, diff, notes }) => ({
    assistant_id: assistantId,
    name,
    from,
    diff: [...diff],
    notes: [...notes],
  })),
  refusals: plan.refusals.map(({ assistantId, name, from, problems, differences }) => ({
    assistant_id: assistantId,
    name,
    from,
    problems: [...problems],
    differences: [...differences],
  })),
  skipped_organizations: plan.skippedOrganizations.map(({ organizationId, count }) => ({
    organization_id: organizationId,
    count,
  })),
  complete: plan.complete,
});
