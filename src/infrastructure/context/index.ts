export * from './work-context';
