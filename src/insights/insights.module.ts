import { Module } from '@nestjs/common';
import { AssistantsModule } from '../assistants';
import { ConnectorsModule } from '../connectors';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { MeteringModule } from '../metering';
import { OrganizationsModule } from '../organizations';
import { ProcessorsModule } from '../processors';
import { RunsModule } from '../runs';
import { ToolsModule } from '../tools';
import { QuestionGroups } from './grouping/question-groups.service';
import { QuestionStemsRepository } from './grouping/question-stems.repository';
import { QuestionVectors } from './grouping/question-vectors.service';
import { InsightsController } from './insights.controller';
import { InsightsService } from './insights.service';
import { AssistantMaterialRepository } from './material/assistant-material.repository';
import { UnusedMaterialService } from './material/unused-material.service';
import { AskedPeriods } from './reading/asked-period.service';
import { AskedQuestionsRepository } from './reading/asked-questions.repository';
import { InsightReadings } from './reading/insight-readings.service';
import { MaterialSearches } from './reading/material-searches.service';

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
    AskedPeriods,
    AskedQuestionsRepository,
    AssistantMaterialRepository,
    InsightReadings,
    InsightsService,
    MaterialSearches,
    QuestionGroups,
    QuestionStemsRepository,
    QuestionVectors,
    UnusedMaterialService,
  ],
})
export class InsightsModule {}
