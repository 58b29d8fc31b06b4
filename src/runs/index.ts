export * from './prepared-prompt.types';
export * from './report-message';
export * from './report.types';
export { Run } from './run';
export * from './run.types';
