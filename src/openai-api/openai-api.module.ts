import { Module } from '@nestjs/common';
import { AnsweringModule } from '../answering';
import { AssistantsModule } from '../assistants';
import { ConnectorsModule } from '../connectors';
import { OrchestratorsModule } from '../orchestrators';
import { OrganizationsModule } from '../organizations';
import { ProcessorsModule } from '../processors';
import { ToolsModule } from '../tools';
import { AuthModule } from '../auth';
import { AssistantCompletionsController } from './assistant-completions.controller';
import { AssistantModels } from './assistant-models.service';
import { CompletionFastPath } from './completion-fast-path';
import { CompletionsService } from './completions.service';
import { LambCatalogueController } from './lamb-catalogue.controller';
import { LambCompletionsController } from './lamb-completions.controller';
import { ModelsService } from './models.service';
import { OpenAiRootController } from './openai-root.controller';
import { OpenAiController } from './openai.controller';

@Module({
  imports: [
    AnsweringModule,
    AssistantsModule,
    AuthModule,
    ConnectorsModule,
    OrchestratorsModule,
    OrganizationsModule,
    ProcessorsModule,
    ToolsModule,
  ],
  controllers: [
    OpenAiController,
    OpenAiRootController,
    AssistantCompletionsController,
    LambCatalogueController,
    LambCompletionsController,
  ],
  providers: [AssistantModels, CompletionFastPath, CompletionsService, ModelsService],
  exports: [CompletionFastPath],
})
export class OpenAiApiModule {}
