import { Module } from '@nestjs/common';
import { AssistantsModule } from '../../src/assistants';
import { ConnectorsModule } from '../../src/connectors';
import { KnowledgeBasesModule } from '../../src/knowledge-bases';
import { MeteringModule } from '../../src/metering';
import { OrganizationsModule } from '../../src/organizations';
import { ProcessorsModule } from '../../src/processors';
import { RunsModule } from '../../src/runs';
import { ToolsModule } from '../../src/tools';
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
