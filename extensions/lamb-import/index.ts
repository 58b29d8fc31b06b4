export { readAddressMapping } from './metadata-references';
export { isSlug } from './organization-settings';
export { isKbClean, kbReportJson, kbReportText } from './knowledge/kb-report';
export { LambKbImport } from './knowledge/lamb-kb-import.service';
export { LambImportModule } from './lamb-import.module';
export { LambImport } from './lamb-import.service';
export * from './plan/import-options.types';
export { rehearsalJson, rehearsalMarkdown, rehearsalText } from './rehearsal/rehearsal-report';
export { LambRehearsal, readQuestions } from './rehearsal/rehearsal.service';
export type { Credential, RehearsalReport, RehearsedQuestion } from './rehearsal/rehearsal.types';
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
export { idsCsv, isClean, reportJson, reportText } from './report-text';
