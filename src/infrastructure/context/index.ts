export * from './span';
export * from './work-context';
