export * from './caller';
export * from './chat';
export * from './errors';
export * from './ids';
export * from './json';
export * from './paging';
export * from './run-events';
export * from './sources';
