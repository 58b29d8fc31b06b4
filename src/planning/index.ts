export { PlanOutcomes } from './learning/plan-outcomes.service';
export { planningFigures, type PlanningFigures } from './learning/planning-figures';
export { planSummary } from './plan-summary';
export { Planner } from './planner.service';
export { PlanningModule } from './planning.module';
export { PLANNING_OPTIONS_SCHEMA, planningOptions } from './planning-options';
export * from './planning.types';
export type { PlannableTool } from './tool-facts';
