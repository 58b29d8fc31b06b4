import type { FunctionEntry, ToolInfo } from '$lib/app/catalogues/assistant';
import { same } from '$lib/kit/ui/differences';
import type { Config, JsonSchema, Reference } from '$lib/features/schema-form/schema-form';
import { REFERENCES } from '$lib/features/schema-form/schema-form';

export const typeOf = (entry: FunctionEntry): string => (typeof entry === 'string' ? entry : entry.type);

/** Everything of an entry but its type. */
export function settingsOf(entry: FunctionEntry): Config {
  if (typeof entry === 'string') return {};
  const { type: _type, ...settings } = entry;
  return settings;
}

const propertiesOf = ({ config_schema }: ToolInfo): Readonly<Record<string, JsonSchema>> =>
  (config_schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;

export interface Target {
  readonly kind: Reference;
  /** The setting that holds the id: `assistant_id`. */
  readonly setting: string;
}

/**
 * Thing that one entry of a function stands for: an assistant, a knowledge base, a rubric; null for a function by
 * itself.
 */
export function targetOf(tool: ToolInfo): Target | null {
  for (const [setting, schema] of Object.entries(propertiesOf(tool))) {
    const kind = REFERENCES.find((name) => name === schema['x-reference']);
    if (kind !== undefined) return { kind, setting };
  }
  return null;
}

/** Whether there is something to set beside the target. */
export const hasSettings = (tool: ToolInfo): boolean =>
  Object.keys(propertiesOf(tool)).some((name) => name !== targetOf(tool)?.setting);

/** An entry with other settings; a function without any stays the bare name that it is stored as. */
export function withSettings(entry: FunctionEntry, settings: Config): FunctionEntry {
  const isBare = typeof entry === 'string' && Object.keys(settings).length === 0;
  return isBare ? entry : { type: typeOf(entry), ...settings };
}

/** A new entry: as its settings are by themselves. */
export const newEntry = (tool: ToolInfo, value?: string | number): FunctionEntry => {
  const target = targetOf(tool);
  if (target !== null && value !== undefined) return { type: tool.name, [target.setting]: value };
  return tool.allow_multiple ? { type: tool.name } : tool.name;
};

export interface Placed {
  readonly entry: FunctionEntry;
  /** Position in the list of functions. */
  readonly index: number;
}

export const placedOf = (functions: readonly FunctionEntry[], tool: ToolInfo): readonly Placed[] =>
  functions.map((entry, index) => ({ entry, index })).filter(({ entry }) => typeOf(entry) === tool.name);

/** Entries of functions that are not installed: they are shown, and kept until they are taken out. */
export const strangersOf = (functions: readonly FunctionEntry[], tools: readonly ToolInfo[]): readonly Placed[] =>
  functions
    .map((entry, index) => ({ entry, index }))
    .filter(({ entry }) => !tools.some(({ name }) => name === typeOf(entry)));

/** Settings beside the target that differ from what the function does anyway. */
export const changedSettings = (tool: ToolInfo, settings: Config): readonly (readonly [string, unknown])[] => {
  const schemas = propertiesOf(tool);
  const target = targetOf(tool)?.setting;
  return Object.entries(settings).filter(
    ([name, value]) => name !== target && value !== null && value !== '' && !same(value, schemas[name]?.default),
  );
};
