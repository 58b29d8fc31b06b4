export * from './orchestrator.token';
export * from './strategy.types';
