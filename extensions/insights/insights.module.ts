import { Module } from '@nestjs/common';
import { AssistantsModule } from '../../src/assistants';
import { ConnectorsModule } from '../../src/connectors';
import { KnowledgeBasesModule } from '../../src/knowledge-bases';
import { MeteringModule } from '../../src/metering';
import { OrganizationsModule } from '../../src/organizations';
import { ProcessorsModule } from '../../src/processors';
import { RunsModule } from '../../src/runs';
import { ToolsModule } from '../../src/tools';
import { QuestionGroups } from './question-groups.service';
import { QuestionStemsRepository } from './question-stems.repository';
import { QuestionVectors } from './question-vectors.service';
import { InsightsController } from './insights.controller';
import { InsightsService } from './insights.service';
import { AssistantMaterialRepository } from './assistant-material.repository';
import { MaterialSearches, UnusedMaterialService } from './unused-material.service';
import { ReportPeriods, InsightAccessAudit } from './report-periods.service';
import { AskedQuestionsRepository } from './asked-questions.repository';

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
