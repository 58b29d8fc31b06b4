import { Inject, Injectable } from '@nestjs/common';
import { isJsonObject, type JsonObject, type Principal, type Problem } from '../../kernel';
import { closestName } from './closest-name';
import { ConfigSchemas, type PreparedConfig } from './config-schema';
import { type ConfigGap, type FunctionEntry, type FunctionPlugin, FUNCTIONS, type ToolDefinition } from '.././contract';

/** Function plugins by name. Names come from stored documents: Map look-ups only. */
@Injectable()
export class FunctionCatalogue {
  private readonly byName = new Map<string, FunctionPlugin>();
  private readonly schemas = new ConfigSchemas();

  constructor(@Inject(FUNCTIONS) private readonly plugins: readonly FunctionPlugin[]) {
    for (const plugin of plugins) {
      const { name, aliases, config_schema } = plugin.definition;
      for (const key of [name, ...aliases]) {
        if (this.byName.has(key)) throw new Error(`Two functions are called ${key}`);
        this.byName.set(key, plugin);
      }
      this.schemas.add(name, config_schema);
    }
  }

  definitions(): ToolDefinition[] {
    return this.plugins.map(({ definition }) => definition);
  }

  find(nameOrAlias: string): FunctionPlugin | undefined {
    return this.byName.get(nameOrAlias);
  }

  /** For "did you mean": null when nothing is near. */
  closest(name: string): string | null {
    const near = closestName(name, [...this.byName.keys()]);
    return near === null ? null : (this.byName.get(near)?.definition.name ?? null);
  }

  /** Every problem of an entry's config, with paths relative to it; empty for an unknown function. */
  validate(name: string, config: unknown): readonly Problem[] {
    return this.prepare(name, config).problems;
  }

  /** `validate` without the schema's defaults: a required member has to be there. */
  validateExactly(name: string, config: unknown): readonly Problem[] {
    return this.schemas.exactProblems(this.byName.get(name)?.definition.name ?? name, config);
  }

  /** The config with the schema's defaults filled in, and what is wrong with it. */
  prepare(name: string, config: unknown): PreparedConfig {
    return this.schemas.prepare(this.byName.get(name)?.definition.name ?? name, config);
  }

  /** What is still missing or out of reach; nothing for unknown functions and for configs with problems. */
  async gaps(name: string, config: JsonObject, owner: Principal): Promise<readonly ConfigGap[]> {
    const plugin = this.find(name);
    if (plugin?.gaps === undefined) return [];
    const { config: complete, problems } = this.prepare(name, config);
    return problems.length > 0 ? [] : plugin.gaps(complete, owner);
  }
}

/** A document's functions as entries: each is an object with a `type`, the rest is its plugin's config. */
export const functionEntries = (functions: readonly JsonObject[]): FunctionEntry[] =>
  functions.filter(isJsonObject).map(({ type, ...config }, index) => ({ index, type: String(type), config }));
