export { kbReportText } from './knowledge/kb-report';
export { LambKbImport } from './knowledge/lamb-kb-import.service';
export { LambImportModule } from './lamb-import.module';
export { LambImport } from './lamb-import.service';
export { type ImportChoices, type ImportOptions, type ImportProgress, NO_CHOICES } from './plan/plan.types';
export { rehearsalJson, rehearsalMarkdown } from './rehearsal/rehearsal-report';
export { LambRehearsal, readQuestions } from './rehearsal/rehearsal.service';
export type { RehearsalReport } from './rehearsal/rehearsal.types';
export {
  ITEM_KINDS,
  ITEM_OUTCOMES,
  type ImportReport,
  type ImportedOrganization,
  type ItemCounts,
  type ItemKind,
  type ItemOutcome,
  type MissingFile,
  type ReportNote,
} from './report-builder';
export { idsCsv, reportJson } from './report-text';
