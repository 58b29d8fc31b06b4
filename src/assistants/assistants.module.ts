import { Module } from '@nestjs/common';
import { OrchestratorsModule } from '../orchestrators';
import { OrganizationsModule } from '../organizations';
import { RunsModule } from '../runs';
import { ToolsModule } from '../tools';
import { AssistantEditor } from './assistant-editor';
import { AssistantLookup } from './assistant-lookup';
import { AssistantsService } from './assistants.service';
import { DefinitionGate } from './definition-gate';
import { CatalogueRules } from './diagnostics/catalogue-rules';
import { DefinitionChecks } from './diagnostics/definition-checks';
import { FunctionTargets } from './diagnostics/function-targets';
import { RunnableAssistants } from './runnable-assistants';
import { AssistantRepository } from './storage/assistant.repository';

@Module({
  imports: [OrganizationsModule, OrchestratorsModule, RunsModule, ToolsModule],
  controllers: [],
  providers: [
    AssistantRepository,
    AssistantLookup,
    CatalogueRules,
    FunctionTargets,
    DefinitionChecks,
    DefinitionGate,
    RunnableAssistants,
    AssistantEditor,
    AssistantsService,
  ],
  exports: [AssistantsService],
})
export class AssistantsModule {}
