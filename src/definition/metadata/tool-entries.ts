import { isJsonObject, type JsonObject } from '../../kernel';
import { member, textMember } from './parse-metadata';

/** Function objects that were stored under `tools` (spec 002). `rubric` is not among them: there it is a pipeline tool. */
const FUNCTION_TYPES: ReadonlySet<string> = new Set(['assistant', 'knowledge_base', 'image']);

/** A pipeline tool as stored, with its position in `tools`. */
export interface ToolEntry {
  readonly index: number;
  /** Name under `plugin`, or under `type` as spec 001 writes it; not resolved. */
  readonly plugin: string;
  readonly entry: JsonObject;
}

export interface FunctionEntry {
  /** Where it was found, e.g. `tools[2]` or `functions[0]`. */
  readonly path: string;
  /** A name such as "weather" reads as `{type: "weather"}`. */
  readonly definition: JsonObject;
  /** As it is stored. */
  readonly stored: unknown;
  /** It was such a name. */
  readonly bare: boolean;
}

export interface ToolEntries {
  readonly pipeline: readonly ToolEntry[];
  readonly functions: readonly FunctionEntry[];
  /** Paths of entries that are neither. */
  readonly malformed: readonly string[];
}

/** Sorts every shape that `tools` and `functions` have in the wild into two lists that never mix. */
export function readToolEntries(metadata: JsonObject): ToolEntries {
  const pipeline: ToolEntry[] = [];
  const functions: FunctionEntry[] = [];
  const malformed: string[] = [];
  for (const [index, value] of listMember(metadata, 'tools').entries()) {
    const path = `tools[${index}]`;
    const plugin = pipelinePlugin(value);
    const definition = functionDefinition(value);
    if (isJsonObject(value) && plugin !== null) pipeline.push({ index, plugin, entry: value });
    else if (definition !== null) functions.push({ path, definition, stored: value, bare: typeof value === 'string' });
    else malformed.push(path);
  }
  for (const [index, value] of listMember(metadata, 'functions').entries()) {
    const path = `functions[${index}]`;
    const definition = functionDefinition(value);
    if (definition === null) malformed.push(path);
    else functions.push({ path, definition, stored: value, bare: typeof value === 'string' });
  }
  return { pipeline, functions, malformed };
}

function listMember(metadata: JsonObject, key: string): readonly unknown[] {
  const value = member(metadata, key);
  return Array.isArray(value) ? value : [];
}

function pipelinePlugin(value: unknown): string | null {
  if (!isJsonObject(value)) return null;
  const plugin = textMember(value, 'plugin');
  if (plugin !== null) return plugin;
  const type = textMember(value, 'type');
  return type === null || FUNCTION_TYPES.has(type) ? null : type;
}

function functionDefinition(value: unknown): JsonObject | null {
  if (typeof value === 'string') return value.trim() === '' ? null : { type: value.trim() };
  return isJsonObject(value) && textMember(value, 'type') !== null ? value : null;
}
