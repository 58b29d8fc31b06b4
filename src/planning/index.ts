export { PlanOutcomes } from './memory/plan-outcomes.service';
export { planningFigures, type PlanningFigures } from './memory/planning-figures';
export { planSummary } from './plan/plan-summary';
export { Planner } from './planner.service';
export { PlanningModule } from './planning.module';
export { PLANNING_OPTIONS_SCHEMA, planningOptions } from './plan/planning-options';
export * from './plan/planning.types';
export type { PlannableTool } from './selection/tool-facts';
export { termsOf } from './selection/words';
