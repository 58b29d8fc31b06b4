import { Module } from '@nestjs/common';
import { ConnectorsModule } from '../../connectors';
import { ToolsModule } from '../../tools';
import { PlanOutcomesRepository } from './memory/plan-outcomes.repository';
import { PlanOutcomes } from './memory/plan-outcomes.service';
import { ModelPlanner } from './model-planner.service';
import { Planner, ToolSimilarities } from './planner.service';

@Module({
  imports: [ConnectorsModule, ToolsModule],
  providers: [ModelPlanner, Planner, PlanOutcomes, PlanOutcomesRepository, ToolSimilarities],
  exports: [Planner, PlanOutcomes],
})
export class PlanningModule {}
