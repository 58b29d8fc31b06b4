import { Module } from '@nestjs/common';
import { AnsweringModule } from '../../src/answering';
import { AssistantsModule } from '../../src/assistants';
import { AuthModule } from '../../src/auth';
import { FilesModule } from '../../src/files';
import { KnowledgeBasesModule } from '../../src/knowledge-bases';
import { LtiModule } from '../lti';
import { OrganizationsModule } from '../../src/organizations';
import { PromptTemplatesModule } from '../../src/assistants/prompt-templates';
import { RubricsModule } from '../../src/rubrics';
import { CollectionFiles } from './knowledge/collection-files';
import { KbOwners } from './knowledge/kb-owners';
import { LambKbImport } from './knowledge/lamb-kb-import.service';
import { LambImport } from './lamb-import.service';
import { ImportPlanner } from './plan/import-planner';
import { LambRehearsal } from './rehearsal/rehearsal.service';
import { ImportLeaseRepository } from './storage/import-lease.repository';
import { OriginRepository } from './storage/origin.repository';
import { ActivityWriter } from './write/activity-writer';
import { AssistantWriter } from './write/assistant-writer';
import { FileTransfer } from './write/file-transfer';
import { ImportTargets } from './write/import-targets';
import { LtiWriter } from './write/lti-writer';
import { ImportWriter } from './write/import-writer';
import { OrganizationImporter } from './write/organization-importer';
import { OrganizationWriter } from './write/organization-writer';
import { PasswordWriter } from './write/password-writer';

/** Imports a LAMB installation, organization by organization. It can be repeated without duplicates. */
@Module({
  imports: [
    AnsweringModule,
    AssistantsModule,
    AuthModule,
    FilesModule,
    KnowledgeBasesModule,
    LtiModule,
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
