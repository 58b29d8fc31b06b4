import { Module } from '@nestjs/common';
import { AssistantsModule } from '../assistants';
import { AuthModule } from '../auth';
import { ClassicModule } from '../classic';
import { ConnectorsModule } from '../connectors';
import { FilesModule } from '../files';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { MultiToolModule } from '../multi-tool';
import { OrchestratorsModule } from '../orchestrators';
import { OrganizationsModule } from '../organizations';
import { PlanningModule } from '../planning';
import { ProcessorsModule } from '../processors';
import { RunsModule } from '../runs';
import { ToolCallingModule } from '../tool-calling';
import { ToolsModule } from '../tools';
import { AnswerImages } from './answer-images';
import { AssistantAbilities } from './assistant-abilities';
import { AssistantCalls } from './assistant-calls';
import { AssistantCompletionsController } from './assistant-completions.controller';
import { AssistantPlansController } from './assistant-plans.controller';
import { AssistantPlans } from './assistant-plans.service';
import { AssistantRunsController } from './assistant-runs.controller';
import { BackgroundCompletions } from './background-completions.service';
import { CompletionEngine } from './completion-engine.service';
import { CompletionFunctions } from './completion-functions.service';
import { CompletionOpening } from './completion-opening.service';
import { CompletionsService } from './completions.service';
import { EventStreamCounts } from './event-stream-counts';
import { LambCatalogueController } from './lamb-catalogue.controller';
import { LambCompletionsController } from './lamb-completions.controller';
import { ModelsService } from './models.service';
import { OpenAiController } from './openai.controller';
import { QuietAnswers } from './quiet-answers.service';
import { RunAccess } from './run-access.service';
import { RunEventStreams } from './run-event-streams.service';
import { RunsController } from './runs.controller';
import { StreamsInFlight } from './streams-in-flight';

@Module({
  imports: [
    AssistantsModule,
    AuthModule,
    ClassicModule,
    ConnectorsModule,
    FilesModule,
    KnowledgeBasesModule,
    MultiToolModule,
    OrchestratorsModule,
    OrganizationsModule,
    PlanningModule,
    ProcessorsModule,
    RunsModule,
    ToolCallingModule,
    ToolsModule,
  ],
  controllers: [
    OpenAiController,
    AssistantCompletionsController,
    AssistantPlansController,
    AssistantRunsController,
    LambCatalogueController,
    LambCompletionsController,
    RunsController,
  ],
  providers: [
    AnswerImages,
    AssistantAbilities,
    AssistantCalls,
    AssistantPlans,
    BackgroundCompletions,
    CompletionEngine,
    CompletionFunctions,
    CompletionOpening,
    CompletionsService,
    EventStreamCounts,
    ModelsService,
    QuietAnswers,
    RunAccess,
    RunEventStreams,
    StreamsInFlight,
  ],
  exports: [AssistantAbilities, CompletionsService, QuietAnswers, StreamsInFlight],
})
export class CompletionsModule {}
