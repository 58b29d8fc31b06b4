import { snakeCased } from '../../../src/kernel';
import { totals, unresolvedAddresses } from './report-summary';
import type { ImportReport } from './report.types';

/** The whole report for programs; its keys are the command's contract (docs/guide/move-from-lamb.md). */
export const reportJson = (report: ImportReport): Record<string, unknown> => ({
  ...snakeCased(report),
  ...totals(report).counts,
  unresolved: unresolvedAddresses(report),
});
