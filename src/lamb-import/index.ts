export * from './import.types';
export { LambImport } from './lamb-import.service';
export { LambImportModule } from './lamb-import.module';
export { reportJson } from './report/report-json';
export { isClean } from './report/report-summary';
export { reportText } from './report/report-text';
export { openLambSource } from './source/lamb-source';
