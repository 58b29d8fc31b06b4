export { FreshCache } from './row-cache';
/** Caches values made from rows, until a table is written: docs/contributing/database.md. */
export { RowCache } from './row-cache';
export { TableChanges } from './row-cache';
export { RowCacheModule } from './row-cache.module';
