/** How rooms use this: docs/contributing/database.md. */
export * from './database-health';
export * from './database.module';
export * from './database.token';
export * from './database.types';
export { livenessOf, ownIdentity, type ProcessIdentity } from './embedded/process-identity';
export { type ExportedTable, exportDatabase, type ExportOptions, type ExportReport } from './export/export-database';
export { migrate, revertLast } from './migrate';
export { databaseFigures, runningServers } from './figures';
export * from './open-database';
export * from './postgres-errors';
export * from './prepared';
export * from './schema';
export * from './tenant-scope';
export * from './transactions';
export * from './versioned-scope';
