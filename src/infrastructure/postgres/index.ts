/** The database without Nest: an operator command that loads this alone starts in a third of the time. */
export {
  type DatabaseConfig,
  type MigrationClass,
  type SchemaOnOpen,
  type Transaction,
} from './connection/data-source';
export { migrate, revertLast } from './connection/migrate';
export * from './connection/open-database';
export * from './connection/postgres-errors';
export { databaseLacksSpace } from './connection/safe-client';
export * from './connection/schema';
export { livenessOf, ownIdentity, type ProcessIdentity } from '@bellwether/embedded-postgres';
export { type ExportedTable, exportDatabase, type ExportOptions, type ExportReport } from './export/export-database';
export { databaseFigures, databaseRoundTrip, opensConnection, runningServers, vectorExtension } from './figures';
export * from './connection/enforce';
export * from './connection/scoped-client';
export { TableWrites, type Write, type WriteHandler, WriteObserver } from './connection/scoped-client';
