export * from './compile-pipeline';
export { contentByPlaceholder } from './prompt/content-by-placeholder';
export * from './contract';
export { checkCondition, type ConditionCheck } from './conditions';
export * from './orchestration.types';
export { Orchestrator } from './orchestrator';
export { OrchestratorsModule } from './orchestrators.module';
export { StrategyCatalogue } from './strategy-catalogue';
export { ToolsFailed } from './tools-failed.errors';
