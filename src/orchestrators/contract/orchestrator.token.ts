/** Injection token of one strategy, so that a deployment can bind another class to its key. */
export const orchestratorToken = (key: string): string => `OrchestratorStrategy:${key}`;

/** Injection token of the registered strategies by key, in catalogue order. */
export const STRATEGIES = Symbol('OrchestratorStrategies');
