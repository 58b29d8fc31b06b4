import type { ImportedOrganization, ImportReport } from './report.types';
import { totals, unresolvedAddresses } from './report-summary';

const organizationJson = (organization: ImportedOrganization): Record<string, unknown> => ({
  origin: organization.origin,
  origin_slug: organization.originSlug,
  slug: organization.slug,
  name: organization.name,
  outcome: organization.outcome,
  counts: organization.counts,
  assistants: organization.assistants,
  notes: organization.notes,
  conflicts: organization.conflicts,
  left_out: organization.leftOut,
  missing_files: organization.missingFiles,
  findings: organization.findings,
  unresolved: organization.unresolved,
});

/** The whole report for programs; its keys are the command's contract (docs/guide/move-from-lamb.md). */
export const reportJson = (report: ImportReport): Record<string, unknown> => ({
  source: report.source,
  dry_run: report.dryRun,
  interrupted: report.interrupted,
  ...totals(report).counts,
  organizations: report.organizations.map(organizationJson),
  unresolved: unresolvedAddresses(report),
  not_taken: report.notTaken,
  problems: report.problems,
});
