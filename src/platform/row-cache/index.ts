/** Values kept from rows until these are written: docs/contributing/database.md. */
export { RowCache } from './row-cache';
export { RowCacheModule } from './row-cache.module';
export { TableChanges } from './table-changes';
