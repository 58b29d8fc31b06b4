import type { JsonObject, Problem } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { type CompiledTool, ConfigSchemas } from '../tools';
import { type OrchestratorStrategy, type RunStrategy, STRATEGIES, type StrategyDefinition } from './contract';

/** Runs an assistant whose strategy is no longer installed. */
export const FALLBACK_STRATEGY = 'parallel';

/** A strategy over the tools of one assistant. */
export interface NamedRun {
  readonly name: string;
  /** The strategy that the document names, where there is no such strategy. */
  readonly missing: string | null;
  readonly run: RunStrategy;
}

/** Strategies by the key that documents name. A deployment may bind another class to a key. */
@Injectable()
export class StrategyCatalogue {
  private readonly schemas = new ConfigSchemas('strategy');

  constructor(@Inject(STRATEGIES) private readonly strategies: ReadonlyMap<string, OrchestratorStrategy>) {
    for (const { definition } of strategies.values()) this.schemas.add(definition.name, definition.options_schema);
  }

  definitions(): StrategyDefinition[] {
    return [...this.strategies].map(([name, { definition }]) => ({ ...definition, name }));
  }

  find(name: string): OrchestratorStrategy | undefined {
    return this.strategies.get(name);
  }

  /** Everything that is wrong with a strategy's `orchestrator_options`, with paths relative to it. */
  optionProblems(name: string, options: unknown): readonly Problem[] {
    const strategy = this.find(name);
    return strategy === undefined ? [] : this.schemas.prepare(strategy.definition.name, options).problems;
  }

  /** An unknown strategy compiles as the fallback; options that do not fit the schema as its defaults. */
  compile(name: string, options: JsonObject, tools: readonly CompiledTool[]): NamedRun {
    const known = this.find(name);
    const strategy = known ?? this.fallback();
    const run = strategy.compile(tools, this.options(strategy, known === undefined ? {} : options));
    return known === undefined ? { name: FALLBACK_STRATEGY, missing: name, run } : { name, missing: null, run };
  }

  private options({ definition: { name } }: OrchestratorStrategy, stored: JsonObject): JsonObject {
    const { config, problems } = this.schemas.prepare(name, stored);
    return problems.length === 0 ? config : this.schemas.prepare(name, {}).config;
  }

  private fallback(): OrchestratorStrategy {
    const strategy = this.strategies.get(FALLBACK_STRATEGY);
    if (strategy === undefined) throw new Error(`The strategy ${FALLBACK_STRATEGY} is not registered`);
    return strategy;
  }
}
