export * from './contract';
export * from './orchestration.types';
export { Orchestrator } from './orchestrator';
export { OrchestratorsModule } from './orchestrators.module';
export { StrategyCatalogue } from './strategy-catalogue';
