import { Module } from '@nestjs/common';
import { AnsweringModule } from '../answering';
import { AssistantsModule } from '../assistants';
import { AuthModule } from '../auth';
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
import { RunsController } from './runs.controller';

@Module({
  imports: [
    AnsweringModule,
    AssistantsModule,
    AuthModule,
    KnowledgeBasesModule,
    OrganizationsModule,
    PlanningModule,
    ReceiptsModule,
    RunsModule,
    ToolsModule,
  ],
  controllers: [AssistantPlansController, AssistantRunsController, ReceiptsController, RunsController],
  providers: [
    AssistantPlans,
    EventStreamCounts,
    QuestionAccessAudit,
    RunAccess,
    RunEventStreams,
    RunUsers,
    ReceiptViews,
  ],
  exports: [QuestionAccessAudit, RunAccess],
})
export class RunsApiModule {}
