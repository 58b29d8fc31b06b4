import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject, Principal, Problem } from '../kernel';
import { closestName } from './closest-name';
import { ConfigSchemas, type PreparedConfig } from './config-schema';
import { type ConfigGap, type Tool, type ToolDefinition, TOOLS } from './contract';

/** Every tool by name and alias, with its config schema compiled. Names come from users and models: Map look-ups only. */
@Injectable()
export class ToolCatalogue {
  private readonly byName = new Map<string, Tool>();
  private readonly schemas = new ConfigSchemas();
  /** Keyed by the stored config object, which lives as long as the cached assistant. */
  private readonly prepared = new WeakMap<JsonObject, { tool: Tool; prepared: PreparedConfig }>();

  constructor(@Inject(TOOLS) private readonly tools: readonly Tool[]) {
    for (const tool of tools) {
      const { name, aliases, config_schema } = tool.definition;
      for (const key of [name, ...aliases]) {
        if (this.byName.has(key)) throw new Error(`Two tools are called ${key}`);
        this.byName.set(key, tool);
      }
      this.schemas.add(name, config_schema);
    }
  }

  definitions(): ToolDefinition[] {
    return this.tools.map(({ definition }) => definition);
  }

  find(nameOrAlias: string): Tool | undefined {
    return this.byName.get(nameOrAlias);
  }

  /** The name an alias stands for; an unknown name as it is. */
  canonicalName(name: string): string {
    return this.byName.get(name)?.definition.name ?? name;
  }

  /** For "did you mean": null when nothing is near. */
  closest(name: string): string | null {
    const near = closestName(name, [...this.byName.keys()]);
    return near === null ? null : this.canonicalName(near);
  }

  /** Placeholder types that registered tools fill, each once: part of the template grammar. */
  placeholderTypes(): string[] {
    const types = this.tools.map(({ definition }) => definition.placeholder);
    return [...new Set(types.filter((type) => type !== null))];
  }

  /** Every problem of a config, with paths relative to it; empty for an unknown tool. */
  validate(name: string, config: unknown): readonly Problem[] {
    return this.schemas.prepare(this.canonicalName(name), config).problems;
  }

  /** A copy of the config with the schema's defaults filled in. */
  withDefaults(name: string, config: JsonObject): JsonObject {
    return this.schemas.prepare(this.canonicalName(name), config).config;
  }

  /** What is still missing or out of reach in a config; nothing for unknown tools and for configs with problems. */
  async gaps(name: string, config: JsonObject, owner: Principal): Promise<readonly ConfigGap[]> {
    const tool = this.find(name);
    if (tool?.gaps === undefined) return [];
    const { config: complete, problems } = this.schemas.prepare(tool.definition.name, config);
    return problems.length > 0 ? [] : tool.gaps(complete, owner);
  }

  /** When a tool runs with this config: `pipeline` also for tools that are unknown or cannot run. */
  phaseOf(name: string, config: JsonObject): 'pipeline' | 'answer' {
    const tool = this.find(name);
    if (tool?.phase === undefined) return 'pipeline';
    const { config: complete, problems } = this.prepare(tool, config);
    return problems.length > 0 ? 'pipeline' : tool.phase(complete);
  }

  /** `validate` and `withDefaults` for the running path: done once per stored config object. */
  prepare(tool: Tool, config: JsonObject): PreparedConfig {
    const known = this.prepared.get(config);
    if (known?.tool === tool) return known.prepared;
    const prepared = this.schemas.prepare(tool.definition.name, config);
    this.prepared.set(config, { tool, prepared });
    return prepared;
  }
}
