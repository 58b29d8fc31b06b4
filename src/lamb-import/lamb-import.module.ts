import { Module } from '@nestjs/common';
import { AssistantsModule } from '../assistants';
import { FilesModule } from '../files';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { OrganizationsModule } from '../organizations';
import { PromptTemplatesModule } from '../prompt-templates';
import { RubricsModule } from '../rubrics';
import { LambImport } from './lamb-import.service';
import { ImportPlanner } from './plan/import-planner';
import { ImportLeaseRepository } from './storage/import-lease.repository';
import { OriginRepository } from './storage/origin.repository';
import { AssistantWriter } from './write/assistant-writer';
import { FileTransfer } from './write/file-transfer';
import { ImportTargets } from './write/import-targets';
import { ImportWriter } from './write/import-writer';
import { OrganizationImporter } from './write/organization-importer';
import { OrganizationWriter } from './write/organization-writer';

/** Imports a LAMB installation, organization by organization. It can be repeated without duplicates. */
@Module({
  imports: [
    AssistantsModule,
    FilesModule,
    KnowledgeBasesModule,
    OrganizationsModule,
    PromptTemplatesModule,
    RubricsModule,
  ],
  providers: [
    LambImport,
    OrganizationImporter,
    ImportPlanner,
    FileTransfer,
    ImportWriter,
    OrganizationWriter,
    AssistantWriter,
    ImportTargets,
    OriginRepository,
    ImportLeaseRepository,
  ],
  exports: [LambImport],
})
export class LambImportModule {}
