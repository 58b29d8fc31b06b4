import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject } from '../../kernel';
import {
  type CallProblem,
  type CompiledTool,
  type PipelineTool,
  type PreparedCall,
  type Tool,
  TOOLS,
} from '../contract';
import { PluginCatalogue } from './plugin-catalogue';

/** The same words whatever the reason. */
export const NOT_ACCESSIBLE: CallProblem = { code: 'tool.inaccessible', message: 'its content is not accessible' };

@Injectable()
export class ToolCatalogue extends PluginCatalogue<Tool> {
  constructor(@Inject(TOOLS) tools: readonly Tool[]) {
    super(tools);
  }

  /** Placeholder types that registered tools fill, each once: part of the template grammar. */
  placeholderTypes(): string[] {
    const types = this.plugins.map(({ definition }) => definition.placeholder);
    return [...new Set(types.filter((type) => type !== null))];
  }

  /** A copy of the config with the schema's defaults filled in. */
  withDefaults(name: string, config: JsonObject): JsonObject {
    return this.prepare(name, config).config;
  }

  /** When a tool runs with this config: `pipeline` also for tools that are unknown or cannot run. */
  phaseOf(name: string, config: JsonObject): 'pipeline' | 'answer' {
    return this.ofValid(name, config, (tool, complete) => tool.phase?.(complete)) ?? 'pipeline';
  }

  /** Earlier results that a tool needs; null for tools that need none, are unknown or cannot run. */
  needsOf(name: string, config: JsonObject): { readonly tool: string | null } | null {
    return this.ofValid(name, config, (tool, complete) => tool.needs?.(complete)) ?? null;
  }

  /** Resolves plugin and config of an entry once, so that its calls need no catalogue. Never throws. */
  compile(entry: PipelineTool): CompiledTool {
    const { plugin, config, fallback } = entry;
    const call = this.callOf(plugin, config);
    return {
      ...entry,
      phase: 'code' in call ? 'pipeline' : (this.find(plugin)?.phase?.(call.config) ?? 'pipeline'),
      call,
      fallbackCall: fallback === null ? null : this.callOf(fallback.plugin, fallback.config),
    };
  }

  private ofValid<T>(name: string, stored: JsonObject, read: (tool: Tool, config: JsonObject) => T): T | undefined {
    const tool = this.find(name);
    if (tool === undefined) return undefined;
    const { config, problems } = this.prepare(name, stored);
    return problems.length > 0 ? undefined : read(tool, config);
  }

  private callOf(plugin: string, stored: JsonObject): PreparedCall | CallProblem {
    const tool = this.find(plugin);
    if (tool === undefined) return { code: 'tool.unknown', message: `there is no tool named ${plugin}` };
    const { name, version, evidence } = tool.definition;
    if (this.isUnbound(name, stored)) return NOT_ACCESSIBLE;
    const { config, problems } = this.prepare(name, stored);
    const [problem] = problems;
    if (problem !== undefined)
      return { code: 'tool.config_invalid', message: `${problem.path} ${problem.message}`.trim() };
    return { plugin: name, version, evidence, tool, config, configKey: JSON.stringify(config) };
  }
}
