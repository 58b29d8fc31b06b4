import { Module } from '@nestjs/common';
import { AssistantsModule } from '../assistants';
import { AuthModule } from '../auth';
import { ClassicModule } from '../classic';
import { ConnectorsModule } from '../connectors';
import { FilesModule } from '../files';
import { MeteringModule } from '../metering';
import { MultiToolModule } from '../multi-tool';
import { OrganizationsModule } from '../organizations';
import { RunsModule } from '../runs';
import { ToolsModule } from '../tools';
import { AnswerModels } from './admission/answer-models.service';
import {
  CompletionMeters,
  CompletionOpening,
  CompletionSlots,
  OpenCompletions,
} from './admission/completion-opening.service';
import { StreamsInFlight } from './admission/streams-in-flight';
import { BackgroundCompletions } from './background-completions.service';
import { AnswerImages } from './engine/answer-images';
import { AnswerPipeline } from './engine/answer-pipeline.service';
import { AnswerTelemetry, CompletionMetrics } from './engine/answer-telemetry';
import { CompletionFunctions } from './engine/completion-functions.service';
import { GroundedAnswers } from './engine/grounded-answers.service';
import { PromptPreparation } from './engine/prompt-preparation.service';
import { HeadlessCompletions } from './headless-completions.service';
import { RunBatches } from './run-batches.service';
import { ToolCallingModule } from './tool-calling';
import { UnrecordedPrompts } from './unrecorded-prompts.service';

@Module({
  imports: [
    AssistantsModule,
    AuthModule,
    ClassicModule,
    ConnectorsModule,
    FilesModule,
    MeteringModule,
    MultiToolModule,
    OrganizationsModule,
    RunsModule,
    ToolCallingModule,
    ToolsModule,
  ],
  providers: [
    AnswerImages,
    AnswerModels,
    AnswerPipeline,
    AnswerTelemetry,
    BackgroundCompletions,
    CompletionFunctions,
    CompletionMeters,
    CompletionMetrics,
    CompletionOpening,
    CompletionSlots,
    OpenCompletions,
    PromptPreparation,
    GroundedAnswers,
    HeadlessCompletions,
    RunBatches,
    StreamsInFlight,
    UnrecordedPrompts,
  ],
  exports: [
    AnswerPipeline,
    BackgroundCompletions,
    CompletionOpening,
    CompletionSlots,
    HeadlessCompletions,
    RunBatches,
    StreamsInFlight,
    UnrecordedPrompts,
  ],
})
export class AnsweringModule {}
