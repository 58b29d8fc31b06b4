export {
  type OrchestratorStrategy,
  type RunStrategy,
  type Step,
  STRATEGY_ORDERS,
  STRATEGY_SETTINGS,
  type StrategyContext,
  type StrategyDefinition,
  type StrategyRequest,
  type StrategySetting,
  type StrategyShape,
  type StrategyText,
  type StrategyTrace,
} from '@bellwether/plugin';
export * from './orchestrator.token';
