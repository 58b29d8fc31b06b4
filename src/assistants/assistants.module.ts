import { Module } from '@nestjs/common';
import { AuthModule } from '../auth';
import { ConnectorsModule } from '../connectors';
import { FilesModule } from '../files';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { OrchestratorsModule } from '../orchestrators';
import { OrganizationsModule } from '../organizations';
import { ProcessorsModule } from '../processors';
import { RubricsModule } from '../rubrics';
import { RunsModule } from '../runs';
import { ToolsModule } from '../tools';
import { AssistantLookup } from './access/assistant-lookup';
import { AssistantConversion } from './assistant-conversion';
import { AssistantConversionController } from './assistant-conversion.controller';
import { AssistantHistory } from './assistant-history';
import { AssistantHistoryController } from './assistant-history.controller';
import { AssistantImport, ImportedAssistantChecks, ShareImport } from './assistant-import';
import { CallCountRepository } from './assistant-tools/call-counts.repository';
import { CallQuotas } from './assistant-tools/call-quotas';
import { CallTargets } from './assistant-tools/call-targets';
import { AssistantTransfer } from './assistant-transfer';
import { AssistantTransferController } from './assistant-transfer.controller';
import { AssistantsService } from './assistants.service';
import { DefinitionChecks, FunctionChecks, ModelChecks, StaticChecks } from './checks/definition-checks';
import { LentMaterial } from './checks/lent-material';
import { AssistantTargets, EditorReferenceCheck, ReferenceGaps } from './checks/reference-gaps';
import { SaveValidator } from './checks/save-validator';
import { ValidationController } from './checks/validation.controller';
import { DraftAssistants } from './draft-assistants';
import { AssistantEditor } from './editing/assistant-editor';
import { AssistantPresenter } from './editing/assistant-presenter';
import { AssistantRecords, CollectionBindings } from './editing/assistant-records';
import { AssistantsController } from './editing/assistants.controller';
import { DefinitionParser } from './editing/definition-parser';
import { AccessMigration } from './rewriting/access-migration';
import { AssistantRewrites } from './rewriting/assistant-rewrites';
import { RequestedPlans } from './rewriting/requested-plans';
import { RewriteRepository } from './rewriting/rewrite.repository';
import { AssistantCompiler } from './running/assistant-compiler';
import { AssistantNames } from './running/assistant-names';
import { PluginRules } from './running/plugin-rules';
import { AssistantChanges, PublicAssistants } from './running/public-assistants';
import { RunnableAssistants } from './running/runnable-assistants';
import { AssistantSharing } from './sharing/assistant-sharing';
import { AssistantSharingController } from './sharing/assistant-sharing.controller';
import { AssistantStandingController } from './sharing/assistant-status.controller';
import { AssistantStatusService } from './sharing/assistant-status.service';
import { AssistantAliasRepository } from './storage/assistant-alias.repository';
import { AssistantRepository } from './storage/assistant.repository';

@Module({
  imports: [
    AuthModule,
    ConnectorsModule,
    FilesModule,
    KnowledgeBasesModule,
    OrganizationsModule,
    OrchestratorsModule,
    ProcessorsModule,
    RubricsModule,
    RunsModule,
    ToolsModule,
  ],
  controllers: [
    ValidationController,
    AssistantTransferController,
    AssistantsController,
    AssistantHistoryController,
    AssistantConversionController,
    AssistantSharingController,
    AssistantStandingController,
  ],
  providers: [
    AssistantRepository,
    AssistantAliasRepository,
    AssistantLookup,
    AssistantCompiler,
    PluginRules,
    CallQuotas,
    CallTargets,
    LentMaterial,
    AssistantTargets,
    FunctionChecks,
    ModelChecks,
    ReferenceGaps,
    EditorReferenceCheck,
    DefinitionChecks,
    StaticChecks,
    SaveValidator,
    CollectionBindings,
    DefinitionParser,
    AssistantChanges,
    CallCountRepository,
    PublicAssistants,
    RunnableAssistants,
    AssistantNames,
    AssistantRecords,
    AssistantEditor,
    AssistantPresenter,
    AssistantHistory,
    AssistantSharing,
    AssistantStatusService,
    AssistantTransfer,
    RewriteRepository,
    AssistantRewrites,
    RequestedPlans,
    AccessMigration,
    AssistantConversion,
    DraftAssistants,
    AssistantsService,
    AssistantImport,
    ImportedAssistantChecks,
    ShareImport,
  ],
  exports: [
    AssistantEditor,
    DraftAssistants,
    AssistantHistory,
    AssistantImport,
    ImportedAssistantChecks,
    ShareImport,
    AssistantsService,
    AssistantRewrites,
    StaticChecks,
  ],
})
export class AssistantsModule {}
