export { STRATEGY_NAMES } from './catalog';
export * from './compile-pipeline';
export { type ConditionCheck, checkCondition } from './conditions';
export * from './contract';
export * from './orchestration.types';
export { Orchestrator, ToolsFailed } from './orchestrator';
export { OrchestratorsModule } from './orchestrators.module';
export { contentByPlaceholder } from './join-outcomes';
export { StrategyCatalogue } from './strategy-catalogue';
