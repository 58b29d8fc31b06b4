export { batchView, itemView, organizationView, planView, rollbackView, verifyView } from './admin/migration-view';
export * from './batches/batch.types';
export { type Applied, MigrationBatches, type Outcome } from './tasks/migration-batches.service';
export { MigrationPlanner } from './tasks/migration-planner.service';
export { MetadataMigratorModule } from './metadata-migrator.module';
export { MigrationModule } from './migration.module';
