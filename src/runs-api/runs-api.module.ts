import { Module } from '@nestjs/common';
import { AnsweringModule } from '../answering';
import { AssistantsModule } from '../assistants';
import { AuthModule } from '../auth';
import { ConnectorsModule } from '../connectors';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { PlanningModule } from '../orchestrators/planning';
import { OrganizationsModule } from '../organizations';
import { RunsModule } from '../runs';
import { ReceiptsModule } from '../runs/receipts';
import { ToolsModule } from '../tools';
import { QuestionAccessAudit } from './question-access-audit.service';
import { RunAccess } from './run-access.service';
import { RunUsers } from './run-users.service';
import { AssistantRunsController } from './assistant-runs.controller';
import { EventStreamCounts, RunEventStreams } from './run-event-streams.service';
import { AssistantPlansController } from './assistant-plans.controller';
import { AssistantPlans } from './assistant-plans.service';
import { ReceiptViews } from './receipt-views.service';
import { ReceiptsController } from './receipts.controller';
import { RunReplaysController } from '../../extensions/evaluations/replays/run-replays.controller';
import { RunReplays } from '../../extensions/evaluations/replays/run-replays.service';
import { RunsController } from './runs.controller';
import { ReplayWorker } from '../../extensions/evaluations/what-if/replay-worker.service';
import { ReplayRepository } from '../../extensions/evaluations/what-if/replay.repository';
import { WhatIfController } from '../../extensions/evaluations/what-if/what-if.controller';
import { ComparedRuns, WhatIf } from '../../extensions/evaluations/what-if/what-if.service';

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
    QuestionAccessAudit,
    RunAccess,
    RunEventStreams,
    RunUsers,
    ReceiptViews,
    RunReplays,
    ComparedRuns,
    ReplayRepository,
    ReplayWorker,
    WhatIf,
  ],
  exports: [RunAccess, ComparedRuns],
})
export class RunsApiModule {}
