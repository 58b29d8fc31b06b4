export * from './assistant.types';
export * from './metadata';
export * from './run-job.types';
