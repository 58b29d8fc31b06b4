import type { FunctionEntry, Metadata, ToolInfo } from '$lib/app/catalogues/assistant';
import { numberedPlaceholder, renameSlots } from '@bellwether/kernel/templates';
import { numberOf, pipelineTool, type ToolEntry } from './pipeline-entry';

type Stored = Readonly<Record<string, unknown>>;

const OLD_NAMES: ReadonlyMap<string, string> = new Map([
  ['rubric', 'rubric_rag'],
  ['single_file', 'single_file_rag'],
  ['no_tool', 'no_rag'],
]);
/** Objects under `tools` that are functions; `rubric` is the pipeline tool there. */
const FUNCTION_TYPES: ReadonlySet<unknown> = new Set(['assistant', 'knowledge_base', 'image']);

const isObject = (value: unknown): value is Stored =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value : null);

function pluginOf(entry: Stored): string | null {
  const plugin = textOf(entry['plugin']);
  if (plugin !== null) return plugin;
  return FUNCTION_TYPES.has(entry['type']) ? null : textOf(entry['type']);
}

const storedTools = (metadata: Metadata): readonly { entry: Stored; plugin: string }[] =>
  (Array.isArray(metadata.tools) ? metadata.tools : []).flatMap((entry: unknown) => {
    const plugin = isObject(entry) ? pluginOf(entry) : null;
    return isObject(entry) && plugin !== null ? [{ entry, plugin: OLD_NAMES.get(plugin) ?? plugin }] : [];
  });

/** The functions of a document, also those that stand among its tools; what is neither is left out. */
export function functionsOf(metadata: Metadata): readonly FunctionEntry[] {
  const among = (Array.isArray(metadata.tools) ? metadata.tools : []).filter(
    (entry) => typeof entry === 'string' || (isObject(entry) && pluginOf(entry) === null),
  );
  const own: readonly unknown[] = Array.isArray(metadata.functions) ? metadata.functions : [];
  return [...among, ...own].filter(
    (entry): entry is FunctionEntry => textOf(entry) !== null || (isObject(entry) && textOf(entry['type']) !== null),
  );
}

/** Whether a document's placeholders are still without numbers: version 2 of docs/reference/metadata.md. */
function isUnnumbered(metadata: Metadata): boolean {
  const version = metadata['_format_version'];
  if (version === 1 || version === 2 || version === 3) return version === 2;
  return metadata.assistant_type !== 'multi_tool' && storedTools(metadata).length > 0;
}

/** The pipeline of a stored document, numbered as the service numbers it; keys count from 1. */
export function readPipeline(
  metadata: Metadata,
  template: string,
  catalogue: readonly ToolInfo[],
): { readonly tools: readonly ToolEntry[]; readonly template: string } {
  const stored = storedTools(metadata);
  const unnumbered = isUnnumbered(metadata);
  const types = stored.map(({ plugin }) => {
    const info = pipelineTool(plugin, catalogue);
    return info === undefined ? plugin : info.placeholder;
  });
  const given = stored.map(({ entry }, index) => {
    const name = types[index] === null ? null : textOf(entry['placeholder']);
    return unnumbered && numberOf(name) === null ? null : name;
  });
  const placeholders = assign(types, given);
  const tools = stored.map(({ entry, plugin }, index) =>
    entryOf(entry, plugin, placeholders[index] ?? null, index + 1),
  );
  if (!unnumbered) return { tools, template };
  const renames = new Map<string, string[]>();
  for (const [index, { entry }] of stored.entries()) {
    const from = types[index] === null ? null : (textOf(entry['placeholder']) ?? types[index] ?? null);
    const to = placeholders[index] ?? null;
    if (from !== null && to !== null && from !== to) renames.set(from, [...(renames.get(from) ?? []), to]);
  }
  return { tools, template: renameSlots(template, renames) };
}

/** `{position}_{type}` for tools without a placeholder, or the highest number + 1 where that is taken. */
function assign(types: readonly (string | null)[], given: readonly (string | null)[]): readonly (string | null)[] {
  const taken = new Set(given);
  let highest = Math.max(types.length, ...given.map((name) => numberOf(name) ?? 0));
  return types.map((type, index) => {
    const own = given[index] ?? null;
    if (type === null || own !== null) return own;
    const generated = numberedPlaceholder(index + 1, type);
    const free = taken.has(generated) ? numberedPlaceholder(++highest, type) : generated;
    taken.add(free);
    return free;
  });
}

function entryOf(entry: Stored, plugin: string, placeholder: string | null, key: number): ToolEntry {
  const { plugin: _plugin, type: _type, placeholder: _placeholder, enabled, config, ...extra } = entry;
  return { key, plugin, placeholder, enabled: enabled !== false, config: isObject(config) ? config : {}, extra };
}
