import { type JsonObject, type Principal, type Problem, isJsonObject, valueProblem } from '@bellwether/kernel';
import { SCHEMA_VOCABULARY } from '@bellwether/plugin';
import { Inject, Injectable } from '@nestjs/common';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { distance } from 'fastest-levenshtein';
import { isUnbound } from '../knowledge-bases';
import {
  type CallProblem,
  type CompiledTool,
  type ConfigGap,
  FUNCTIONS,
  type FunctionEntry,
  type FunctionPlugin,
  type PipelineTool,
  type PreparedCall,
  TOOLS,
  type Tool,
  type ToolDefinition,
} from './contract';

const MAX_PROBLEMS = 20;

/** A config with the schema's defaults filled in, and everything that is wrong with it. */
interface PreparedConfig {
  readonly config: JsonObject;
  /** Paths are relative to the config: `collections[0]`. */
  readonly problems: readonly Problem[];
}

const AJV = new Ajv({ allErrors: true, useDefaults: true, allowUnionTypes: true }).addVocabulary(SCHEMA_VOCABULARY);
const EXACT_AJV = new Ajv({ allErrors: true, allowUnionTypes: true }).addVocabulary(SCHEMA_VOCABULARY);

/** Checks configs against JSON Schemas that are compiled once. */
export class ConfigSchemas {
  private readonly schemas = new Map<string, JsonObject>();
  private readonly compiled = new Map<string, ValidateFunction>();
  private readonly exact = new Map<string, ValidateFunction>();

  /** `owner` names the kind of plugin in messages. */
  constructor(private readonly owner = 'tool') {}

  add(name: string, schema: JsonObject): void {
    this.schemas.set(name, schema);
    this.compiled.set(name, AJV.compile(schema));
  }

  /** Never changes `config`: defaults go into a copy. */
  prepare(name: string, config: unknown): PreparedConfig {
    if (!isJsonObject(config)) return { config: {}, problems: [NO_OBJECT] };
    const copy = structuredClone(config);
    const validate = this.compiled.get(name);
    if (validate === undefined || validate(copy)) return { config: copy, problems: [] };
    return { config: copy, problems: this.problemsOf(validate) };
  }

  /** Problems of a config without its defaults: required members must be there. */
  exactProblems(name: string, config: unknown): readonly Problem[] {
    if (!isJsonObject(config)) return [NO_OBJECT];
    const validate = this.exactValidator(name);
    return validate === null || validate(config) ? [] : this.problemsOf(validate);
  }

  private exactValidator(name: string): ValidateFunction | null {
    const schema = this.schemas.get(name);
    if (schema === undefined) return null;
    const validate = this.exact.get(name) ?? EXACT_AJV.compile(schema);
    this.exact.set(name, validate);
    return validate;
  }

  private problemsOf({ errors }: ValidateFunction): Problem[] {
    return (errors ?? []).slice(0, MAX_PROBLEMS).map((error) => problemOf(error, this.owner));
  }
}

const NO_OBJECT: Problem = { path: '', message: 'must be an object', ...valueProblem('type') };

function problemOf(error: ErrorObject, owner: string): Problem {
  const path = jsonPath(error.instancePath);
  const params = error.params as Record<string, unknown>;
  const worded = valueProblem(error.keyword, params);
  switch (error.keyword) {
    case 'required':
      return { path: member(path, String(params.missingProperty)), message: 'is required', ...worded };
    case 'additionalProperties':
      return {
        path: member(path, String(params.additionalProperty)),
        message: `is not a setting of this ${owner}`,
        ...worded,
      };
    case 'enum':
      return {
        path,
        message: `must be one of ${(params.allowedValues as unknown[]).map(String).join(', ')}`,
        ...worded,
      };
    case 'type':
      return { path, message: `must be of type ${[params.type].flat().join(' or ')}`, ...worded };
    default:
      return { path, message: error.message ?? 'is not valid', ...worded };
  }
}

const member = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** `/collections/0` of JSON Pointer (RFC 6901) as `collections[0]`. */
function jsonPath(pointer: string): string {
  let path = '';
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    path = /^\d+$/.test(name) ? `${path}[${name}]` : member(path, name);
  }
  return path;
}

const MAX_LENGTH = 64;

/** The name most like a misspelt one, or null when more than half of every name would have to change. */
export function closestName(name: string, known: readonly string[]): string | null {
  const wanted = name.toLowerCase();
  if (wanted === '' || wanted.length > MAX_LENGTH) return null;
  let best: string | null = null;
  let bestDistance = Infinity;
  for (const candidate of known) {
    const inside = wanted.length >= 3 && (candidate.includes(wanted) || wanted.includes(candidate));
    const changes = inside ? 0.5 : distance(wanted, candidate);
    if (changes < bestDistance && changes <= Math.max(wanted.length, candidate.length) / 2) {
      best = candidate;
      bestDistance = changes;
    }
  }
  return best;
}

interface Plugin {
  readonly definition: ToolDefinition;
  gaps?(config: JsonObject, owner: Principal): Promise<readonly ConfigGap[]>;
}

/** Plugins by name and alias, with their config schemas compiled. Names come from users and models: Map look-ups only. */
abstract class PluginCatalogue<P extends Plugin> {
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

  /** Similar name for "did you mean"; null without one. */
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

@Injectable()
export class FunctionCatalogue extends PluginCatalogue<FunctionPlugin> {
  constructor(@Inject(FUNCTIONS) plugins: readonly FunctionPlugin[]) {
    super(plugins);
  }
}

/** A document's functions as entries: each is an object with a `type`, the rest is its plugin's config. */
export const functionEntries = (functions: readonly JsonObject[]): FunctionEntry[] =>
  functions.filter(isJsonObject).map(({ type, ...config }, index) => ({ index, type: String(type), config }));

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
