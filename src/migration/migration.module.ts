import { Module } from '@nestjs/common';
import { AssistantsModule } from '../assistants';
import { AuthModule } from '../auth';
import { OrchestratorsModule } from '../orchestrators';
import { OrganizationsModule } from '../organizations';
import { BatchItemRepository } from './batches/batch-item.repository';
import { BatchLeases } from './batches/batch-lease.service';
import { BatchRepository } from './batches/batch.repository';
import { MigrationAdmin, MigrationJobs } from './migration-admin.service';
import { MigrationsController } from './migrations.controller';
import { BatchApplier } from './tasks/batch-applier.service';
import { BatchRollback } from './tasks/batch-rollback.service';
import { BatchVerifier } from './tasks/batch-verifier.service';
import { MigrationBatches } from './tasks/migration-batches.service';
import { MigrationCandidates, MigrationPlanner } from './tasks/migration-planner.service';

/** Migrates stored metadata in batches, and proves that prompts stay the same. */
@Module({
  imports: [AssistantsModule, AuthModule, OrchestratorsModule, OrganizationsModule],
  controllers: [MigrationsController],
  providers: [
    BatchRepository,
    BatchItemRepository,
    BatchLeases,
    MigrationCandidates,
    BatchApplier,
    BatchRollback,
    BatchVerifier,
    MigrationBatches,
    MigrationPlanner,
    MigrationAdmin,
    MigrationJobs,
  ],
  exports: [MigrationBatches, MigrationPlanner],
})
export class MigrationModule {}
