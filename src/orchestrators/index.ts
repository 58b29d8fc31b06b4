export * from './contract';
export { checkCondition, type ConditionCheck } from './conditions';
export * from './orchestration.types';
export { contentByPlaceholder, Orchestrator } from './orchestrator';
export { OrchestratorsModule } from './orchestrators.module';
export { StrategyCatalogue } from './strategy-catalogue';
