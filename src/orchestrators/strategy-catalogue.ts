import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject, Problem } from '../kernel';
import { ConfigSchemas } from '../tools';
import { type OrchestratorStrategy, STRATEGIES, type StrategyDefinition, type StrategySetting } from './contract';

/** Where a stored assistant ends up whose strategy no longer exists. */
export const FALLBACK_STRATEGY = 'parallel';

/** Strategies by the key that documents name. Which class answers a key is the deployment's choice. */
@Injectable()
export class StrategyCatalogue {
  private readonly schemas = new ConfigSchemas('strategy');
  /** Keyed by the stored object, which lives as long as the cached assistant. */
  private readonly prepared = new WeakMap<JsonObject, { strategy: OrchestratorStrategy; options: JsonObject }>();

  constructor(@Inject(STRATEGIES) private readonly strategies: ReadonlyMap<string, OrchestratorStrategy>) {
    for (const { definition } of strategies.values()) this.schemas.add(definition.name, definition.options_schema);
  }

  definitions(): StrategyDefinition[] {
    return [...this.strategies].map(([name, { definition }]) => ({ ...definition, name }));
  }

  find(name: string): OrchestratorStrategy | undefined {
    return this.strategies.get(name);
  }

  /** Settings of entries that the strategy heeds; undefined when there is no such strategy. */
  reads(name: string): readonly StrategySetting[] | undefined {
    const strategy = this.find(name);
    return strategy === undefined ? undefined : (strategy.reads ?? []);
  }

  /** Everything that is wrong with a strategy's `orchestrator_options`, with paths relative to it. */
  optionProblems(name: string, options: unknown): readonly Problem[] {
    const strategy = this.find(name);
    return strategy === undefined ? [] : this.schemas.prepare(strategy.definition.name, options).problems;
  }

  /** The options with the schema's defaults; the defaults alone where the stored ones do not fit the schema. */
  options(strategy: OrchestratorStrategy, stored: JsonObject): JsonObject {
    const known = this.prepared.get(stored);
    if (known?.strategy === strategy) return known.options;
    const { name } = strategy.definition;
    const { config, problems } = this.schemas.prepare(name, stored);
    const options = problems.length === 0 ? config : this.schemas.prepare(name, {}).config;
    this.prepared.set(stored, { strategy, options });
    return options;
  }

  fallback(): OrchestratorStrategy {
    const strategy = this.strategies.get(FALLBACK_STRATEGY);
    if (strategy === undefined) throw new Error(`The strategy ${FALLBACK_STRATEGY} is not registered`);
    return strategy;
  }
}
