import type { Page } from '../../kernel';
import type { Batch, BatchItem } from '../batches/batch.types';
import type { MigrationPlan, OrganizationStatus } from '../batches/migration-plan.types';
import type { BatchDto, BatchItemPageDto, MigrationPlanDto, OrganizationVersionsDto } from './migration-answer.dto';

/** A batch whose process has ended without a word is interrupted, whatever its row still says. */
function stateOf({ state, lease, background }: Batch): string {
  return state === 'running' && lease === null && !background ? 'interrupted' : state;
}

export const batchView = (batch: Batch): BatchDto => ({
  id: batch.id,
  organization_id: batch.organizationId,
  to: batch.to,
  state: stateOf(batch),
  task: batch.task,
  lease: batch.lease === null ? null : { holder: batch.lease.holder.label, until: batch.lease.until.toISOString() },
  total: batch.total,
  examined: batch.examined,
  migrated: batch.migrated,
  skipped: batch.skipped,
  failed: batch.failed,
  rolled_back: batch.rolledBack,
  result: batch.result,
  created_at: batch.createdAt.toISOString(),
  finished_at: batch.finishedAt?.toISOString() ?? null,
});

export const itemsView = ({ items, ...page }: Page<BatchItem>): BatchItemPageDto => ({
  items: items.map((item) => ({
    assistant_id: item.assistantId,
    status: item.status,
    from: item.from,
    old_version: item.oldVersion,
    new_version: item.newVersion,
    problems: [...item.problems],
    differences: [...item.differences],
    audit_id: item.auditId,
  })),
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
});
