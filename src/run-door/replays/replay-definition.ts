import { isJsonObject, type JsonObject } from '../../kernel';
import type { RunRecord } from '../../runs';

/** Settings of one tool that replace those of the definition. */
export interface ToolChange {
  readonly enabled?: boolean;
  readonly config?: JsonObject;
}

/** Differences from the repeated run. */
export interface ReplayChanges {
  readonly orchestrator?: string;
  readonly connector?: string;
  readonly llm?: string;
  readonly version?: number;
  /** By placeholder. */
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
  const { enabled, config } = change;
  const before = isJsonObject(tool['config']) ? tool['config'] : {};
  return {
    ...tool,
    ...(enabled === undefined ? {} : { enabled }),
    ...(config === undefined ? {} : { config: { ...before, ...config } }),
  };
}
