import { isJsonObject, type JsonObject } from '@bellwether/kernel';
import { member, readToolEntries, textMember } from '../definition';

/** Name of the function and of the pipeline tool that call another assistant. */
const ASSISTANT = 'assistant';

/** A member of a definition that names another assistant. */
export interface AssistantReference {
  /** JSON path in the request: `metadata.functions[0].assistant_id`. */
  readonly path: string;
  /** The stored value; the schema refuses one that is no id. */
  readonly id: unknown;
  /** False for a disabled tool. */
  readonly enabled: boolean;
}

/** The assistants that functions, pipeline tools and their fallbacks name. */
export function assistantReferences(metadata: JsonObject): AssistantReference[] {
  const { functions, pipeline } = readToolEntries(metadata);
  return [
    ...functions
      .filter(({ definition }) => textMember(definition, 'type') === ASSISTANT)
      .map(({ path, definition }) => ({
        path: `metadata.${path}.assistant_id`,
        id: member(definition, 'assistant_id') ?? null,
        enabled: true,
      })),
    ...pipeline.flatMap(({ index, plugin, entry }) => {
      const base = `metadata.tools[${index}]`;
      const enabled = member(entry, 'enabled') !== false;
      const own = plugin === ASSISTANT ? [referenceIn(entry, base, enabled)] : [];
      const fallback = member(entry, 'fallback');
      const spare = isJsonObject(fallback) && textMember(fallback, 'plugin') === ASSISTANT;
      return spare ? [...own, referenceIn(fallback, `${base}.fallback`, enabled)] : own;
    }),
  ];
}

function referenceIn(entry: JsonObject, base: string, enabled: boolean): AssistantReference {
  const config = member(entry, 'config');
  const id = isJsonObject(config) ? (member(config, 'assistant_id') ?? null) : null;
  return { path: `${base}.config.assistant_id`, id, enabled };
}

/**
 * The first place where a definition uses tools in the sense of the recursion rule, or null. Every function counts, and
 * every pipeline tool that calls an assistant. Content tools do not count.
 */
export function toolUse(metadata: JsonObject): string | null {
  const [first] = readToolEntries(metadata).functions;
  return first === undefined ? (assistantReferences(metadata)[0]?.path ?? null) : `metadata.${first.path}`;
}
