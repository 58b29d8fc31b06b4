import { Module } from '@nestjs/common';
import { ConnectorsModule } from '../connectors';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { OrchestratorsModule } from '../orchestrators';
import { OrganizationsModule } from '../organizations';
import { RunsModule } from '../runs';
import { ToolsModule } from '../tools';
import { AssistantEditor } from './assistant-editor';
import { AssistantHistory } from './assistant-history';
import { AssistantHistoryController } from './assistant-history.controller';
import { AssistantLookup } from './assistant-lookup';
import { AssistantPresenter } from './assistant-presenter';
import { AssistantRecords } from './assistant-records';
import { AssistantSharing } from './assistant-sharing';
import { AssistantSharingController } from './assistant-sharing.controller';
import { AssistantStanding } from './assistant-standing';
import { AssistantStandingController } from './assistant-standing.controller';
import { AssistantsController } from './assistants.controller';
import { AssistantsService } from './assistants.service';
import { CallQuotas } from './assistant-tools/call-quotas';
import { CallTargets } from './assistant-tools/call-targets';
import { DefinitionBodies } from './definition-bodies';
import { DefinitionGate } from './definition-gate';
import { AssistantTargets } from './diagnostics/assistant-targets';
import { CatalogueRules } from './diagnostics/catalogue-rules';
import { DefinitionChecks } from './diagnostics/definition-checks';
import { EditorReach } from './diagnostics/editor-reach';
import { FunctionChecks } from './diagnostics/function-checks';
import { ReferenceGaps } from './diagnostics/reference-gaps';
import { StaticChecks } from './diagnostics/static-checks';
import { ValidationController } from './diagnostics/validation.controller';
import { PromptTemplateArrivals } from './prompt-templates/prompt-template-arrivals';
import { PromptTemplateArrivalsRepository } from './prompt-templates/prompt-template-arrivals.repository';
import { PromptTemplateRepository } from './prompt-templates/prompt-template.repository';
import { PromptTemplatesController } from './prompt-templates/prompt-templates.controller';
import { PromptTemplatesService } from './prompt-templates/prompt-templates.service';
import { AccessMigration } from './rewriting/access-migration';
import { AssistantConversion } from './rewriting/assistant-conversion';
import { AssistantConversionController } from './rewriting/assistant-conversion.controller';
import { AssistantRewrites } from './rewriting/assistant-rewrites';
import { RequestedPlans } from './rewriting/requested-plans';
import { RewriteRepository } from './rewriting/rewrite.repository';
import { RunnableAssistants } from './runnable-assistants';
import { SourceLinkCheck } from './source-link-check';
import { AssistantRepository } from './storage/assistant.repository';
import { AssistantArrivals } from './transfer/assistant-arrivals';
import { AssistantArrivalsRepository } from './transfer/assistant-arrivals.repository';
import { AssistantTransfer } from './transfer/assistant-transfer';
import { AssistantTransferController } from './transfer/assistant-transfer.controller';

@Module({
  imports: [ConnectorsModule, KnowledgeBasesModule, OrganizationsModule, OrchestratorsModule, RunsModule, ToolsModule],
  controllers: [
    ValidationController,
    AssistantTransferController,
    AssistantsController,
    AssistantHistoryController,
    AssistantConversionController,
    AssistantSharingController,
    AssistantStandingController,
    PromptTemplatesController,
  ],
  providers: [
    AssistantRepository,
    AssistantLookup,
    CatalogueRules,
    CallQuotas,
    CallTargets,
    AssistantTargets,
    FunctionChecks,
    ReferenceGaps,
    EditorReach,
    DefinitionChecks,
    StaticChecks,
    DefinitionGate,
    DefinitionBodies,
    RunnableAssistants,
    AssistantRecords,
    AssistantEditor,
    AssistantPresenter,
    AssistantHistory,
    AssistantSharing,
    AssistantStanding,
    AssistantTransfer,
    PromptTemplateRepository,
    PromptTemplatesService,
    RewriteRepository,
    AssistantRewrites,
    RequestedPlans,
    AccessMigration,
    AssistantConversion,
    AssistantsService,
    SourceLinkCheck,
    AssistantArrivals,
    AssistantArrivalsRepository,
    PromptTemplateArrivals,
    PromptTemplateArrivalsRepository,
  ],
  exports: [AssistantArrivals, PromptTemplateArrivals, AssistantsService, AssistantRewrites, StaticChecks],
})
export class AssistantsModule {}
