export { FreshCache } from './fresh-cache';
/** Caches values made from rows, until a table is written: docs/contributing/database.md. */
export { RowCache, TableChanges } from './row-cache';
export { RowCacheModule } from './row-cache.module';
