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
import { AssistantCompiler } from './running/assistant-compiler';
import { AssistantEditor } from './editing/assistant-editor';
import { AssistantHistory } from './history/assistant-history';
import { AssistantHistoryController } from './history/assistant-history.controller';
import { AssistantLookup } from './access/assistant-lookup';
import { AssistantPresenter } from './editing/assistant-presenter';
import { AssistantRecords } from './editing/assistant-records';
import { AssistantSharing } from './sharing/assistant-sharing';
import { AssistantSharingController } from './sharing/assistant-sharing.controller';
import { AssistantStanding } from './sharing/assistant-standing';
import { AssistantStandingController } from './sharing/assistant-standing.controller';
import { AssistantsController } from './editing/assistants.controller';
import { AssistantsService } from './assistants.service';
import { CallQuotas } from './assistant-tools/call-quotas';
import { CallTargets } from './assistant-tools/call-targets';
import { CollectionBindings } from './editing/collection-bindings';
import { DefinitionBodies } from './editing/definition-bodies';
import { DefinitionGate } from './checks/definition-gate';
import { LentMaterial } from './checks/lent-material';
import { AssistantTargets } from './checks/assistant-targets';
import { CatalogueRules } from './running/catalogue-rules';
import { DefinitionChecks } from './checks/definition-checks';
import { DraftAssistants } from './drafts/draft-assistants';
import { EditorReach } from './checks/editor-reach';
import { FunctionChecks } from './checks/function-checks';
import { ModelChecks } from './checks/model-checks';
import { ReferenceGaps } from './checks/reference-gaps';
import { StaticChecks } from './checks/static-checks';
import { ValidationController } from './checks/validation.controller';
import { AccessMigration } from './rewriting/access-migration';
import { AssistantConversion } from './conversion/assistant-conversion';
import { AssistantConversionController } from './conversion/assistant-conversion.controller';
import { AssistantRewrites } from './rewriting/assistant-rewrites';
import { RequestedPlans } from './rewriting/requested-plans';
import { RewriteRepository } from './rewriting/rewrite.repository';
import { AssistantChanges } from './running/assistant-changes';
import { CallCountRepository } from './assistant-tools/call-counts.repository';
import { PublicAssistants } from './running/public-assistants';
import { RunnableAssistants } from './running/runnable-assistants';
import { AssistantNames } from './running/assistant-names';
import { AssistantAliasRepository } from './storage/assistant-alias.repository';
import { AssistantRepository } from './storage/assistant.repository';
import { AssistantImport } from './transfer/assistant-import';
import { AssistantTransfer } from './transfer/assistant-transfer';
import { AssistantTransferController } from './transfer/assistant-transfer.controller';
import { ImportedAssistantChecks } from './transfer/imported-assistant-checks';
import { ShareImport } from './transfer/share-import';

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
    CatalogueRules,
    CallQuotas,
    CallTargets,
    LentMaterial,
    AssistantTargets,
    FunctionChecks,
    ModelChecks,
    ReferenceGaps,
    EditorReach,
    DefinitionChecks,
    StaticChecks,
    DefinitionGate,
    CollectionBindings,
    DefinitionBodies,
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
    AssistantStanding,
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
