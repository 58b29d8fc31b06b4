import { type JsonObject, isJsonObject } from '@bellwether/kernel';
import { numberedPlaceholder } from '@bellwether/kernel/templates';
import type { MetadataVersion, ToolVocabulary } from './document.types';
import { member, textMember } from './parse-metadata';

const NUMBER = /^(\d{1,9})_/;

/** Slot type of a tool, without number; an unknown plugin stands for itself. Null when it fills none. */
export function slotType({ plugin }: ToolEntry, tools: ToolVocabulary): string | null {
  const type = tools.placeholderOf(plugin);
  return type === undefined ? tools.canonicalName(plugin) : type;
}

/** The slot of a version 2 tool in the stored template. */
export const unnumberedName = (entry: ToolEntry, tools: ToolVocabulary): string | null =>
  slotType(entry, tools) === null ? null : (textMember(entry.entry, 'placeholder') ?? slotType(entry, tools));

/**
 * Placeholder of each tool. Given ones stay; in version 2 only numbered ones count as given. Others get
 * `{order}_{type}` with the position from 1, or the highest number + 1 when that is taken.
 */
export function assignPlaceholders(
  entries: readonly ToolEntry[],
  version: MetadataVersion,
  tools: ToolVocabulary,
): readonly (string | null)[] {
  const given = entries.map((entry) => givenPlaceholder(entry, version, tools));
  const taken = new Set(given);
  let highest = Math.max(entries.length, ...given.map((name) => Number(NUMBER.exec(name ?? '')?.[1] ?? 0)));
  return entries.map((entry, position) => {
    const type = slotType(entry, tools);
    const own = given[position] ?? null;
    if (type === null || own !== null) return own;
    const generated = numberedPlaceholder(position + 1, type);
    const free = taken.has(generated) ? numberedPlaceholder(++highest, type) : generated;
    taken.add(free);
    return free;
  });
}

function givenPlaceholder(entry: ToolEntry, version: MetadataVersion, tools: ToolVocabulary): string | null {
  if (slotType(entry, tools) === null) return null;
  const given = textMember(entry.entry, 'placeholder');
  return given !== null && version === 2 && !NUMBER.test(given) ? null : given;
}

/** Function types that LAMB stores under `tools`. `rubric` is a pipeline tool there. */
const FUNCTION_TYPES: ReadonlySet<string> = new Set(['assistant', 'knowledge_base', 'image']);

/** A pipeline tool as stored, with its position in `tools`. */
export interface ToolEntry {
  readonly index: number;
  /** Name under `plugin`, or under `type` as version 2 writes it; not resolved. */
  readonly plugin: string;
  readonly entry: JsonObject;
}

export interface FunctionEntry {
  /** Path in the document, e.g. `tools[2]` or `functions[0]`. */
  readonly path: string;
  /** The stored object; the name "weather" reads as `{type: "weather"}`. */
  readonly definition: JsonObject;
  readonly stored: unknown;
  /** True when it is stored as a name. */
  readonly bare: boolean;
}

export interface ToolEntries {
  readonly pipeline: readonly ToolEntry[];
  readonly functions: readonly FunctionEntry[];
  readonly malformed: readonly string[];
}

/** Separates pipeline tools and functions in all stored shapes of `tools` and `functions`. */
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
