import { Module } from '@nestjs/common';
import { AnsweringModule } from '../answering';
import { AssistantsModule } from '../assistants';
import { AuthModule } from '../auth';
import { ConnectorsModule } from '../connectors';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { OrganizationsModule } from '../organizations';
import { PlanningModule } from '../orchestrators/planning';
import { ReceiptsModule } from '../runs/receipts';
import { RunsModule } from '../runs';
import { ToolsModule } from '../tools';
import { AssistantRunsController } from './assistant-runs.controller';
import { EventStreamCounts } from './events/event-stream-counts';
import { RunEventStreams } from './events/run-event-streams.service';
import { AssistantPlansController } from './plans/assistant-plans.controller';
import { AssistantPlans } from './plans/assistant-plans.service';
import { QuestionReadings } from './access/question-readings.service';
import { RunAccess } from './access/run-access.service';
import { RunPeople } from './access/run-people.service';
import { ReceiptReading } from './receipts/receipt-reading.service';
import { ReceiptsController } from './receipts/receipts.controller';
import { RunReplaysController } from './replays/run-replays.controller';
import { RunReplays } from './replays/run-replays.service';
import { ReplayRepository } from './what-if/replay.repository';
import { ReplayWorker } from './what-if/replay-worker.service';
import { RunSides } from './what-if/run-sides.service';
import { WhatIfController } from './what-if/what-if.controller';
import { WhatIf } from './what-if/what-if.service';
import { RunsController } from './runs.controller';

@Module({
  imports: [
    AnsweringModule,
    AssistantsModule,
    AuthModule,
    ConnectorsModule,
    KnowledgeBasesModule,
    OrganizationsModule,
    PlanningModule,
    ReceiptsModule,
    RunsModule,
    ToolsModule,
  ],
  controllers: [
    AssistantPlansController,
    AssistantRunsController,
    ReceiptsController,
    RunReplaysController,
    WhatIfController,
    RunsController,
  ],
  providers: [
    AssistantPlans,
    EventStreamCounts,
    QuestionReadings,
    RunAccess,
    RunEventStreams,
    RunPeople,
    ReceiptReading,
    RunReplays,
    RunSides,
    ReplayRepository,
    ReplayWorker,
    WhatIf,
  ],
  exports: [RunAccess, RunSides],
})
export class RunDoorModule {}
