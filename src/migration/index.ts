export { batchView, itemView, organizationView, planView, rollbackView, verifyView } from './admin/migration-view';
export * from './batches/batch.types';
export { type Applied, MigrationBatches, type Outcome } from './batches/migration-batches.service';
export * from './batches/migration-plan.types';
export { MigrationPlanner } from './batches/migration-planner.service';
export { MetadataMigratorModule } from './metadata-migrator.module';
export { MigrationModule } from './migration.module';
