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
import { ToolCallingModule } from './tool-calling';
import { ToolsModule } from '../tools';
import { AnswerModels } from './admission/answer-models.service';
import { CompletionMeters } from './admission/completion-meters.service';
import { CompletionOpening } from './admission/completion-opening.service';
import { CompletionPlaces } from './admission/completion-places.service';
import { CompletionWatch } from './admission/completion-watch.service';
import { StreamsInFlight } from './admission/streams-in-flight';
import { BackgroundCompletions } from './background/background-completions.service';
import { RunBatches } from './batches/run-batches.service';
import { QuietAnswers } from './calls/quiet-answers.service';
import { UnrecordedPrompts } from './calls/unrecorded-prompts.service';
import { AnswerImages } from './engine/answer-images';
import { AnswerWatch } from './engine/answer-watch';
import { AnswerPipeline } from './engine/answer-pipeline.service';
import { CompletionMetrics } from './engine/completion.metrics';
import { CompletionFunctions } from './engine/completion-functions.service';
import { MaterialOnly } from './engine/material-only.service';
import { PromptPreparation } from './engine/prompt-preparation.service';

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
    AnswerWatch,
    BackgroundCompletions,
    CompletionFunctions,
    CompletionMeters,
    CompletionMetrics,
    CompletionOpening,
    CompletionPlaces,
    CompletionWatch,
    PromptPreparation,
    MaterialOnly,
    QuietAnswers,
    RunBatches,
    StreamsInFlight,
    UnrecordedPrompts,
  ],
  exports: [
    AnswerPipeline,
    BackgroundCompletions,
    CompletionOpening,
    CompletionPlaces,
    QuietAnswers,
    RunBatches,
    StreamsInFlight,
    UnrecordedPrompts,
  ],
})
export class AnsweringModule {}
