import { member, readToolEntries, textMember } from '../../definition';
import { isJsonObject, type JsonObject } from '../../kernel';

/** Name of the function and of the pipeline tool that call another assistant. */
const ASSISTANT = 'assistant';

/** A place of a definition that names another assistant. */
export interface AssistantReference {
  /** In the request: `metadata.functions[0].assistant_id`. */
  readonly path: string;
  /** As stored; whatever is no id is for the schema to refuse. */
  readonly id: unknown;
}

/** Every place that names an assistant to call: functions, pipeline tools, and what these fall back to. */
export function assistantReferences(metadata: JsonObject): AssistantReference[] {
  const { functions, pipeline } = readToolEntries(metadata);
  return [
    ...functions
      .filter(({ definition }) => textMember(definition, 'type') === ASSISTANT)
      .map(({ path, definition }) => ({
        path: `metadata.${path}.assistant_id`,
        id: member(definition, 'assistant_id') ?? null,
      })),
    ...pipeline.flatMap(({ index, plugin, entry }) => {
      const base = `metadata.tools[${index}]`;
      const own = plugin === ASSISTANT ? [referenceIn(entry, base)] : [];
      const fallback = member(entry, 'fallback');
      const spare = isJsonObject(fallback) && textMember(fallback, 'plugin') === ASSISTANT;
      return spare ? [...own, referenceIn(fallback, `${base}.fallback`)] : own;
    }),
  ];
}

function referenceIn(entry: JsonObject, base: string): AssistantReference {
  const config = member(entry, 'config');
  const id = isJsonObject(config) ? (member(config, 'assistant_id') ?? null) : null;
  return { path: `${base}.config.assistant_id`, id };
}

/**
 * Where a definition first uses tools in the sense of the recursion rule, or null: any function, whatever it does and
 * whatever its connector is called, and any pipeline tool that calls an assistant. Content tools do not count.
 */
export function toolUse(metadata: JsonObject): string | null {
  const [first] = readToolEntries(metadata).functions;
  return first === undefined ? (assistantReferences(metadata)[0]?.path ?? null) : `metadata.${first.path}`;
}
