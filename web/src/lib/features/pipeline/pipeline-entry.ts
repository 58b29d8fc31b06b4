import type { PipelineTool, ToolInfo } from '$lib/app/catalogues/assistant';

/** One tool of the pipeline while it is edited. Never changed in place. */
export interface ToolEntry {
  /** Stays with the tool whatever its position; unique in its pipeline. */
  readonly key: number;
  readonly plugin: string;
  /** Without braces; null of tools that fill nothing. */
  readonly placeholder: string | null;
  readonly enabled: boolean;
  readonly config: Readonly<Record<string, unknown>>;
  /** depends_on, when, on_error, fallback, timeout_ms, retries, cache and keys unknown here. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** New name of a slot; null takes it out of the template. */
export interface Rename {
  readonly from: string;
  readonly to: string | null;
}

/** Tools and template after a step that was not made yet. */
export interface Change {
  readonly tools: readonly ToolEntry[];
  readonly template: string;
  readonly renames: readonly Rename[];
  /** Description of the step for people. */
  readonly description: string;
}

/** The tool's slot name without number: of the catalogue, of its own placeholder where the plugin is unknown. */
export function slotTypeOf(
  tool: Pick<ToolEntry, 'plugin' | 'placeholder'>,
  catalogue: readonly ToolInfo[],
): string | null {
  const info = pipelineTool(tool.plugin, catalogue);
  if (info !== undefined) return info.placeholder;
  return tool.placeholder?.replace(/^\d+_/, '') ?? null;
}

export const pipelineTool = (plugin: string, catalogue: readonly ToolInfo[]): ToolInfo | undefined =>
  catalogue.find(({ name, kind }) => kind === 'pipeline' && name === plugin);

export const placeholderTypes = (catalogue: readonly ToolInfo[]): readonly string[] => [
  ...new Set(
    catalogue.flatMap(({ kind, placeholder }) => (kind === 'pipeline' && placeholder !== null ? [placeholder] : [])),
  ),
];

/** The number in `2_context`; null in a placeholder without. */
export function numberOf(placeholder: string | null): number | null {
  const digits = /^(\d+)_/.exec(placeholder ?? '')?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Whether the tool's content reaches the template: on, and not one that looks at the finished answer. */
export const fillsSlot = ({ enabled, config }: Pick<ToolEntry, 'enabled' | 'config'>): boolean =>
  enabled && config['checks'] !== 'answer';

export const toStored = ({ plugin, placeholder, enabled, config, extra }: ToolEntry): PipelineTool => ({
  plugin,
  ...(placeholder === null ? {} : { placeholder }),
  enabled,
  config,
  ...extra,
});

/** The settings of a new tool: the defaults of its schema, and an empty value for what it requires. */
export function initialConfig(tool: ToolInfo | undefined): Readonly<Record<string, unknown>> {
  const schema = tool?.config_schema ?? {};
  const properties = (schema['properties'] ?? {}) as Record<string, { default?: unknown }>;
  const required = new Set((schema['required'] ?? []) as string[]);
  const entries = Object.entries(properties).filter(
    ([name, property]) => property.default !== undefined && (property.default !== null || required.has(name)),
  );
  return Object.fromEntries(entries.map(([name, property]) => [name, structuredClone(property.default)]));
}
