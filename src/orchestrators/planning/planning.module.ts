import { Module } from '@nestjs/common';
import { ConnectorsModule } from '../../connectors';
import { ToolsModule } from '../../tools';
import { PlanOutcomes } from './memory/plan-outcomes.service';
import { PlanOutcomesRepository } from './memory/plan-outcomes.repository';
import { ModelPlanner } from './model-planner.service';
import { Planner } from './planner.service';
import { ToolSimilarities } from './tool-similarities.service';

@Module({
  imports: [ConnectorsModule, ToolsModule],
  providers: [ModelPlanner, Planner, PlanOutcomes, PlanOutcomesRepository, ToolSimilarities],
  exports: [Planner, PlanOutcomes],
})
export class PlanningModule {}
