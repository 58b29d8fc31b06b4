import { type JsonObject, isJsonObject } from '@bellwether/kernel';
import type { RunRecord, RunReplay } from '../../../src/runs';

export interface ReplayWish {
  readonly mode: RunReplay['mode'];
  readonly changes: ReplayChanges;
  /** True leaves out the tools whose content no longer exists, in a fresh run. */
  readonly leaveOutMissing: boolean;
}

/** Differences of one tool from the definition. */
export interface ToolChange {
  readonly enabled?: boolean;
  /** Settings that replace those of the definition. */
  readonly config?: JsonObject;
  /** Names of settings that are left out, so that their defaults hold. `config` may set them again. */
  readonly unset?: readonly string[];
}

/** True for changes of tools by placeholder, as `ToolChange` has them. */
export const areToolChanges = (value: unknown): value is Readonly<Record<string, ToolChange>> =>
  isJsonObject(value) && Object.values(value).every(isToolChange);

const isToolChange = (value: unknown): value is ToolChange =>
  isJsonObject(value) &&
  (value['enabled'] === undefined || typeof value['enabled'] === 'boolean') &&
  (value['config'] === undefined || isJsonObject(value['config'])) &&
  (value['unset'] === undefined || isListOfTexts(value['unset']));

const isListOfTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** Differences from the repeated run. */
export interface ReplayChanges {
  readonly orchestrator?: string;
  readonly connector?: string;
  readonly llm?: string;
  readonly version?: number;
  /** Changes by placeholder. */
  readonly tools?: Readonly<Record<string, ToolChange>>;
}

/** Definition for a replay of recorded results: a name, a strategy and a model, but no tools. */
export function frameOf(record: RunRecord, { connector, llm }: Pick<ReplayChanges, 'connector' | 'llm'>): JsonObject {
  const model = { connector: connector ?? record.connector, llm: llm ?? (connector ? '' : (record.model ?? '')) };
  const metadata =
    record.assistantType === 'classic'
      ? model
      : {
          _format_version: 3,
          assistant_type: 'multi_tool',
          orchestrator: record.strategy ?? 'sequential',
          ...model,
          tools: [],
          functions: [],
        };
  return { name: record.assistantName, prompt_template: '{user_input}', metadata };
}

/** The definition with the changes. */
export function changed(definition: JsonObject, { orchestrator, connector, llm, tools }: ReplayChanges): JsonObject {
  const metadata = metadataOf(definition);
  const model = connector === undefined ? {} : { connector, llm: llm ?? '' };
  return {
    ...definition,
    metadata: {
      ...metadata,
      ...(orchestrator === undefined ? {} : { orchestrator }),
      ...model,
      ...(llm === undefined ? {} : { llm }),
      ...(tools === undefined ? {} : { tools: toolsOf(metadata).map((tool) => changedTool(tool, tools)) }),
    },
  };
}

/** Placeholders of the changes that the definition lacks. */
export function unknownPlaceholders(definition: JsonObject, { tools = {} }: ReplayChanges): readonly string[] {
  const known = new Set(toolsOf(metadataOf(definition)).map(placeholderOf));
  return Object.keys(tools).filter((placeholder) => !known.has(placeholder));
}

/** The definition without the tools and functions at these paths, such as `metadata.tools[1].config`. */
export function without(definition: JsonObject, paths: readonly string[]): JsonObject {
  const metadata = metadataOf(definition);
  const kept: Record<string, unknown> = {};
  for (const list of ['tools', 'functions']) {
    const entries = metadata[list];
    if (!Array.isArray(entries)) continue;
    const gone = (index: number): boolean => paths.some((path) => path.includes(`${list}[${index}]`));
    kept[list] = entries.filter((_, index) => !gone(index));
  }
  return { ...definition, metadata: { ...metadata, ...kept } };
}

/** Clients may send the metadata as JSON text. */
function metadataOf({ metadata }: JsonObject): JsonObject {
  if (typeof metadata !== 'string') return isJsonObject(metadata) ? metadata : {};
  try {
    const read: unknown = JSON.parse(metadata);
    return isJsonObject(read) ? read : {};
  } catch {
    // The checks of the definition report it.
    return {};
  }
}

const toolsOf = ({ tools }: JsonObject): readonly JsonObject[] =>
  Array.isArray(tools) ? tools.filter(isJsonObject) : [];

const placeholderOf = ({ placeholder }: JsonObject): string => (typeof placeholder === 'string' ? placeholder : '');

function changedTool(tool: JsonObject, changes: Readonly<Record<string, ToolChange>>): JsonObject {
  const name = placeholderOf(tool);
  const change = Object.hasOwn(changes, name) ? changes[name] : undefined;
  if (change === undefined) return tool;
  const { enabled, config, unset } = change;
  const switched = { ...tool, ...(enabled === undefined ? {} : { enabled }) };
  if (config === undefined && unset === undefined) return switched;
  const before = Object.entries(isJsonObject(tool['config']) ? tool['config'] : {});
  const kept = Object.fromEntries(before.filter(([setting]) => unset?.includes(setting) !== true));
  return { ...switched, config: { ...kept, ...config } };
}
