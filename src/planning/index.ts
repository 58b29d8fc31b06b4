export { planSummary } from './plan-summary';
export { Planner } from './planner.service';
export { PlanningModule } from './planning.module';
export { PLANNING_OPTIONS_SCHEMA, planningOptions } from './planning-options';
export * from './planning.types';
