import type {
  Applied,
  Batch,
  FailedItem,
  MigrationPlan,
  OrganizationStatus,
  PlannedRefusal,
  PlannedRewrite,
  RollbackReport,
  VerifyReport,
  VersionCount,
} from '../../migration';

type Refusal = Pick<PlannedRefusal, 'assistantId' | 'problems' | 'differences'>;

const indent = (lines: readonly string[], by = '  '): string[] => lines.map((line) => `${by}${line}`);

const versionLine = ({ version, type, count }: VersionCount): string => `version ${version ?? '?'} (${type}): ${count}`;

function refusalLines({ assistantId, problems, differences }: Refusal, name = ''): string[] {
  return [
    `assistant ${assistantId}${name === '' ? '' : ` "${name}"`}`,
    ...problems.map(({ path, message }) => `  ${path === '' ? '' : `${path}: `}${message}`),
    ...differences.flatMap(({ input, before, after }) => [
      `  prompt of "${input}":`,
      `  - ${JSON.stringify(before)}`,
      `  + ${JSON.stringify(after)}`,
    ]),
  ];
}

const rewriteLines = ({ assistantId, name, from, diff, notes }: PlannedRewrite): string[] => [
  '',
  `assistant ${assistantId} "${name}", from version ${from}`,
  ...indent(diff),
  ...notes.map(({ path, message }) => `  note: ${path === '' ? '' : `${path}: `}${message}`),
];

export function planText(plan: MigrationPlan): string {
  const lines = [
    `Dry run: nothing was written. Of ${plan.examined} assistants`,
    `  ${plan.migrate} would be migrated to version ${plan.to}`,
    `  ${plan.current} already have this version`,
    `  ${plan.skipped} would be skipped, because their organization has switched multi-tool assistants off`,
    `  ${plan.failed} cannot be migrated`,
    'Versions now',
    ...indent(plan.versions.map(versionLine)),
  ];
  if (plan.refusals.length > 0)
    lines.push('', 'Cannot be migrated', ...indent(plan.refusals.flatMap((each) => refusalLines(each, each.name))));
  lines.push(...plan.rewrites.flatMap(rewriteLines));
  const more = plan.migrate - plan.rewrites.length;
  if (more > 0) lines.push('', `… and ${more} more (--diffs <n> shows more of them)`);
  if (!plan.complete) lines.push('', 'Stopped before the end.');
  return lines.join('\n');
}

export function applyText(
  batch: Batch,
  { complete, before }: Pick<Applied, 'complete' | 'before'>,
  failures: readonly FailedItem[],
): string {
  const lines = [
    ...(before === 0 ? [] : [`Resumed an unfinished batch after ${before} assistants.`]),
    `Batch ${batch.id}: ${batch.migrated} migrated, ${batch.skipped} skipped, ${batch.failed} failed, of ${batch.examined} assistants`,
  ];
  if (failures.length > 0)
    lines.push('Not migrated', ...indent(failures.flatMap((item) => refusalLines(item, item.name))));
  if (batch.failed > failures.length) lines.push(`  … and ${batch.failed - failures.length} more`);
  if (complete) lines.push(`To undo it: assistants:rollback ${batch.id}`);
  else lines.push(`Stopped. To continue: assistants:migrate --apply --resume ${batch.id}`);
  return lines.join('\n');
}

export function rollbackText({ id, state }: Batch, report: RollbackReport, force: boolean): string {
  const lines = [`Batch ${id} (${state}): ${report.rolledBack} rolled back, ${report.gone} deleted since`];
  if (report.historyMissing > 0)
    lines.push(`${report.historyMissing} were not rolled back: their version history lacks the old document`);
  if (report.editedCount > 0)
    lines.push(
      `${report.editedCount} were saved since, ${force ? 'and were rolled back; the version history has what was saved' : 'and were skipped'}`,
      ...report.edited.map(({ assistantId, version }) => `  assistant ${assistantId}: version ${version}`),
    );
  if (!report.complete) lines.push(`Stopped. To continue: assistants:rollback ${id}${force ? ' --force' : ''}`);
  return lines.join('\n');
}

export function verifyText({ id }: Batch, report: VerifyReport): string {
  const lines = [
    `Batch ${id}: ${report.checked} checked, ${report.sound} sound, ${report.edited} edited since, ${report.gone} deleted since, ${report.faultCount} wrong`,
    ...report.faults.map(({ assistantId, code, message }) => `  assistant ${assistantId}: ${code}: ${message}`),
  ];
  if (report.faultCount > report.faults.length) lines.push(`  … and ${report.faultCount - report.faults.length} more`);
  if (!report.complete) lines.push('Stopped before the end.');
  return lines.join('\n');
}

const batchLine = ({ id, state, to, migrated, skipped, failed, rolledBack, lease, createdAt }: Batch): string => {
  const counts = `${migrated} migrated, ${skipped} skipped, ${failed} failed, ${rolledBack} rolled back`;
  const held = lease === null ? '' : `; held by ${lease.holder.label} until ${lease.until.toISOString()}`;
  return `${id} ${createdAt.toISOString()} to version ${to}: ${state}; ${counts}${held}`;
};

export function statusText(
  policy: string,
  organizations: readonly OrganizationStatus[],
  batches: readonly Batch[],
  complete: boolean,
): string {
  const lines = [`MIGRATION_POLICY ${policy}`];
  for (const { slug, migratable, total, versions } of organizations) {
    lines.push(`${slug}: ${total} assistants${migratable ? '' : ' (multi-tool assistants are switched off)'}`);
    lines.push(...indent(versions.map(versionLine)));
  }
  lines.push('Batches', ...(batches.length === 0 ? ['  none'] : indent(batches.map(batchLine))));
  if (!complete) lines.push('Stopped before the end: the counts are not complete.');
  return lines.join('\n');
}
