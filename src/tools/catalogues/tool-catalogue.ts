import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject, Principal, Problem } from '../../kernel';
import { closestName } from './closest-name';
import { ConfigSchemas } from './config-schema';
import {
  type CallProblem,
  type CompiledTool,
  type ConfigGap,
  type PipelineTool,
  type PreparedCall,
  type Tool,
  type ToolDefinition,
  TOOLS,
} from '.././contract';

/** Every tool by name and alias, with its config schema compiled. Names come from users and models: Map look-ups only. */
@Injectable()
export class ToolCatalogue {
  private readonly byName = new Map<string, Tool>();
  private readonly schemas = new ConfigSchemas();

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

  /** `validate` without the schema's defaults: a required member has to be there. */
  validateExactly(name: string, config: unknown): readonly Problem[] {
    return this.schemas.exactProblems(this.canonicalName(name), config);
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
    const { config: complete, problems } = this.schemas.prepare(tool.definition.name, config);
    return problems.length > 0 ? 'pipeline' : tool.phase(complete);
  }

  /** Earlier results that a tool needs; null for tools that need none, are unknown or cannot run. */
  needsOf(name: string, config: JsonObject): { readonly tool: string | null } | null {
    const tool = this.find(name);
    if (tool?.needs === undefined) return null;
    const { config: complete, problems } = this.schemas.prepare(tool.definition.name, config);
    return problems.length > 0 ? null : tool.needs(complete);
  }

  /** Resolves plugin and config of an entry once, so that its calls need no catalogue. Never throws. */
  compile(entry: PipelineTool): CompiledTool {
    const { plugin, config, fallback } = entry;
    const call = this.prepare(plugin, config);
    return {
      ...entry,
      phase: 'code' in call ? 'pipeline' : (this.find(plugin)?.phase?.(call.config) ?? 'pipeline'),
      call,
      fallbackCall: fallback === null ? null : this.prepare(fallback.plugin, fallback.config),
    };
  }

  private prepare(plugin: string, stored: JsonObject): PreparedCall | CallProblem {
    const tool = this.find(plugin);
    if (tool === undefined) return { code: 'tool.unknown', message: `there is no tool named ${plugin}` };
    const { name, version, evidence } = tool.definition;
    const { config, problems } = this.schemas.prepare(name, stored);
    const [problem] = problems;
    if (problem !== undefined)
      return { code: 'tool.config_invalid', message: `${problem.path} ${problem.message}`.trim() };
    return { plugin: name, version, evidence, tool, config, configKey: JSON.stringify(config) };
  }
}
