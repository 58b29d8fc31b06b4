/** How rooms use this: docs/contributing/database.md. */
export * from '../postgres';
export * from './database-health';
export * from './database.module';
export * from './database.token';
export { batches } from './imports/batches';
export * from './imports/import-target.types';
export { TableImport } from './imports/table-import';
export * from './lease-holder';
export * from './pending-effects';
export { PoolMetrics } from './pool.metrics';
export * from './prepared';
export * from './tenant-scope';
export * from './transactions';
export * from './versioned-scope';
