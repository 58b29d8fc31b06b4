/** How modules use this: docs/contributing/database.md. */
export * from '../postgres';
export * from './database-health';
export * from './database.module';
export * from './database.token';
export { batches } from './table-import';
export { type ImportRow, type ImportScope, type ImportTarget } from './table-import';
export { TableImport } from './table-import';
export * from './lease-holder';
export { type PendingEffects, pendingEffects } from './transactions';
export { PoolMetrics } from './pool.metrics';
export * from './prepared';
export * from './tenant.entity';
export { type TenantRow, TenantScope } from './versioned-scope';
export * from './transactions';
export * from './versioned-scope';
