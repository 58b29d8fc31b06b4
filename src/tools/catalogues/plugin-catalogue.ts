import { isJsonObject, type JsonObject, type Principal, type Problem } from '../../kernel';
import { isUnbound } from '../../knowledge-bases';
import type { ConfigGap, ToolDefinition } from '../contract';
import { closestName } from './closest-name';
import { ConfigSchemas, type PreparedConfig } from './config-schema';

interface Plugin {
  readonly definition: ToolDefinition;
  gaps?(config: JsonObject, owner: Principal): Promise<readonly ConfigGap[]>;
}

/** Plugins by name and alias, with their config schemas compiled. Names come from users and models: Map look-ups only. */
export abstract class PluginCatalogue<P extends Plugin> {
  private readonly byName = new Map<string, P>();
  private readonly schemas = new ConfigSchemas();

  constructor(protected readonly plugins: readonly P[]) {
    for (const plugin of plugins) {
      const { name, aliases, kind, config_schema } = plugin.definition;
      for (const key of [name, ...aliases]) {
        if (this.byName.has(key))
          throw new Error(`Two ${kind === 'function' ? 'functions' : 'tools'} are called ${key}`);
        this.byName.set(key, plugin);
      }
      this.schemas.add(name, config_schema);
    }
  }

  definitions(): ToolDefinition[] {
    return this.plugins.map(({ definition }) => definition);
  }

  find(nameOrAlias: string): P | undefined {
    return this.byName.get(nameOrAlias);
  }

  /** The name that an alias stands for; an unknown name unchanged. */
  canonicalName(name: string): string {
    return this.byName.get(name)?.definition.name ?? name;
  }

  /** For "did you mean"; null without a similar name. */
  closest(name: string): string | null {
    const near = closestName(name, [...this.byName.keys()]);
    return near === null ? null : this.canonicalName(near);
  }

  /** Every problem of a config, with paths relative to it; empty for an unknown name. */
  validate(name: string, config: unknown): readonly Problem[] {
    return this.prepare(name, config).problems;
  }

  /** `validate` without the schema's defaults: required members must be present. */
  validateExactly(name: string, config: unknown): readonly Problem[] {
    return this.schemas.exactProblems(this.canonicalName(name), config);
  }

  /** A copy of the config with the schema's defaults, and its problems. */
  prepare(name: string, config: unknown): PreparedConfig {
    return this.schemas.prepare(this.canonicalName(name), config);
  }

  /** Whether a setting that names one thing is unbound: the tool fails and the function is not offered. */
  isUnbound(name: string, config: JsonObject): boolean {
    const properties = this.find(name)?.definition.config_schema['properties'];
    if (!isJsonObject(properties)) return false;
    return Object.entries(properties).some(
      ([key, schema]) => isJsonObject(schema) && 'x-reference' in schema && isUnbound(config[key]),
    );
  }

  /** Empty choices and unreadable references; empty for unknown names and for configs with problems. */
  async gaps(name: string, config: JsonObject, owner: Principal): Promise<readonly ConfigGap[]> {
    const plugin = this.find(name);
    if (plugin?.gaps === undefined) return [];
    const { config: complete, problems } = this.prepare(name, config);
    return problems.length > 0 ? [] : plugin.gaps(complete, owner);
  }
}
