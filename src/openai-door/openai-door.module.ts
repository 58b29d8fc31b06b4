import { Module } from '@nestjs/common';
import { AnsweringModule } from '../answering';
import { AssistantsModule } from '../assistants';
import { ConnectorsModule } from '../connectors';
import { OrchestratorsModule } from '../orchestrators';
import { OrganizationsModule } from '../organizations';
import { ProcessorsModule } from '../processors';
import { ToolsModule } from '../tools';
import { AssistantCompletionsController } from './assistant-completions.controller';
import { CompletionsService } from './completions/completions.service';
import { LambCatalogueController } from './lamb/lamb-catalogue.controller';
import { LambCompletionsController } from './lamb/lamb-completions.controller';
import { ModelsService } from './models.service';
import { OpenAiController } from './openai.controller';

@Module({
  imports: [
    AnsweringModule,
    AssistantsModule,
    ConnectorsModule,
    OrchestratorsModule,
    OrganizationsModule,
    ProcessorsModule,
    ToolsModule,
  ],
  controllers: [OpenAiController, AssistantCompletionsController, LambCatalogueController, LambCompletionsController],
  providers: [CompletionsService, ModelsService],
})
export class OpenAiDoorModule {}
