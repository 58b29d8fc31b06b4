export { batchView, itemView, organizationView, planView, rollbackView, verifyView } from './migrations.controller';
export * from './batches/batch.types';
export { MetadataMigratorModule } from './metadata-migrator.module';
export { MigrationModule } from './migration.module';
export { type Applied, MigrationBatches, type Outcome } from './tasks/migration-batches.service';
export { MigrationPlanner } from './tasks/migration-planner.service';
