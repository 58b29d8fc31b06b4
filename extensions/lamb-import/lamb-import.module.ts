import { Module } from '@nestjs/common';
import { AnsweringModule } from '../../src/answering';
import { AssistantsModule } from '../../src/assistants';
import { PromptTemplatesModule } from '../../src/assistants/prompt-templates';
import { AuthModule } from '../../src/auth';
import { FilesModule } from '../../src/files';
import { KnowledgeBasesModule } from '../../src/knowledge-bases';
import { OrganizationsModule } from '../../src/organizations';
import { RubricsModule } from '../../src/rubrics';
import { LegacyModule } from '../lti/legacy';
import { ImportLeaseRepository } from './import-lease.repository';
import { CollectionFiles } from './knowledge/collection-files';
import { KbOwners } from './knowledge/kb-report';
import { LambKbImport } from './knowledge/lamb-kb-import.service';
import { LambImport } from './lamb-import.service';
import { OriginRepository } from './origin.repository';
import { ImportPlanner } from './plan/import-planner';
import { LambRehearsal } from './rehearsal/rehearsal.service';
import { AssistantWriter } from './write/assistant-writer';
import { FileTransfer } from './write/file-transfer';
import { ImportWriter, PasswordWriter } from './write/import-writer';
import { ActivityWriter, LtiWriter } from './write/lti-writer';
import { OrganizationImporter } from './write/organization-importer';
import { ImportTargets, OrganizationWriter } from './write/organization-writer';

/** Imports a LAMB installation, organization by organization. It can be repeated without duplicates. */
@Module({
  imports: [
    AnsweringModule,
    AssistantsModule,
    AuthModule,
    FilesModule,
    KnowledgeBasesModule,
    LegacyModule,
    OrganizationsModule,
    PromptTemplatesModule,
    RubricsModule,
  ],
  providers: [
    LambImport,
    LambRehearsal,
    LambKbImport,
    CollectionFiles,
    KbOwners,
    OrganizationImporter,
    ImportPlanner,
    FileTransfer,
    ImportWriter,
    OrganizationWriter,
    AssistantWriter,
    ActivityWriter,
    PasswordWriter,
    LtiWriter,
    ImportTargets,
    OriginRepository,
    ImportLeaseRepository,
  ],
  exports: [LambImport, LambKbImport, LambRehearsal],
})
export class LambImportModule {}
