import { Inject, Injectable } from '@nestjs/common';
import { type OrchestratorStrategy, STRATEGIES, type StrategyDefinition } from './contract';

/** Where a stored assistant ends up whose strategy no longer exists. */
export const FALLBACK_STRATEGY = 'parallel';

/** Strategies by the key that documents name. Which class answers a key is the deployment's choice. */
@Injectable()
export class StrategyCatalogue {
  constructor(@Inject(STRATEGIES) private readonly strategies: ReadonlyMap<string, OrchestratorStrategy>) {}

  definitions(): StrategyDefinition[] {
    return [...this.strategies].map(([name, { definition }]) => ({ ...definition, name }));
  }

  find(name: string): OrchestratorStrategy | undefined {
    return this.strategies.get(name);
  }

  fallback(): OrchestratorStrategy {
    const strategy = this.strategies.get(FALLBACK_STRATEGY);
    if (strategy === undefined) throw new Error(`The strategy ${FALLBACK_STRATEGY} is not registered`);
    return strategy;
  }
}
