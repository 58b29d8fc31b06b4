/** How modules use this: docs/contributing/database.md. */
export * from '../postgres';
export * from './database-health';
export * from './database.module';
export * from './database.token';
export { type ImportRow, type ImportScope, type ImportTarget, TableImport, batches } from './table-import';
export * from './lease-holder';
export { PoolMetrics } from './pool.metrics';
export * from './prepared';
export * from './tenant.entity';
export * from './transactions';
export * from './versioned-scope';
