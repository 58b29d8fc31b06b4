export { PlanOutcomes, type PlanningFigures, planningFigures } from './memory/plan-outcomes.service';
export { planSummary } from './plan-builder';
export * from './planning.types';
export { PLANNING_OPTIONS_SCHEMA, Planner, planningOptions } from './planner.service';
export { PlanningModule } from './planning.module';
export { withFoundWords } from './decompose';
export { type PlannableTool, termsOf } from './tool-profile';
