import { Module } from '@nestjs/common';
import { AssistantsModule } from '../../src/assistants';
import { ConnectorsModule } from '../../src/connectors';
import { KnowledgeBasesModule } from '../../src/knowledge-bases';
import { MeteringModule } from '../../src/metering';
import { OrganizationsModule } from '../../src/organizations';
import { ProcessorsModule } from '../../src/processors';
import { RunsModule } from '../../src/runs';
import { ToolsModule } from '../../src/tools';
import { AskedQuestionsRepository, QuestionStemsRepository } from './asked-questions.repository';
import { AssistantMaterialRepository } from './assistant-material.repository';
import { InsightsController } from './insights.controller';
import { InsightsService } from './insights.service';
import { QuestionGroups } from './question-groups.service';
import { QuestionVectors } from './question-vectors.service';
import { InsightAccessAudit, ReportPeriods } from './report-periods.service';
import { MaterialSearches, UnusedMaterialService } from './unused-material.service';

@Module({
  imports: [
    AssistantsModule,
    ConnectorsModule,
    KnowledgeBasesModule,
    MeteringModule,
    OrganizationsModule,
    ProcessorsModule,
    RunsModule,
    ToolsModule,
  ],
  controllers: [InsightsController],
  providers: [
    ReportPeriods,
    AskedQuestionsRepository,
    AssistantMaterialRepository,
    InsightAccessAudit,
    InsightsService,
    MaterialSearches,
    QuestionGroups,
    QuestionStemsRepository,
    QuestionVectors,
    UnusedMaterialService,
  ],
})
export class InsightsModule {}
