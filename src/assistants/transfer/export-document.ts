import { type Definition, type DefinitionInput, member, storedDefinition } from '../../definition';
import { isJsonObject, type JsonObject } from '../../kernel';

export const EXPORT_FORMAT = 'bellwether.assistant';

/** A definition without ids, owners or anything else of the place it comes from. */
export interface ExportedAssistant {
  readonly format: typeof EXPORT_FORMAT;
  readonly format_version: 1;
  readonly assistant: {
    readonly name: string;
    readonly description: string;
    readonly system_prompt: string;
    readonly prompt_template: string;
    readonly metadata: JsonObject;
    readonly RAG_collections: string;
    readonly RAG_Top_k: number;
  };
}

export const exportDocument = (row: Definition): ExportedAssistant => ({
  format: EXPORT_FORMAT,
  format_version: 1,
  assistant: {
    name: row.name,
    description: row.description,
    system_prompt: row.systemPrompt,
    prompt_template: row.promptTemplate,
    metadata: storedDefinition(row).metadata,
    RAG_collections: row.ragCollections,
    RAG_Top_k: row.ragTopK,
  },
});

/** Something of an import that is not taken over. */
export interface Dropped {
  readonly path: string;
  readonly reason: string;
}

export interface ReadImport {
  readonly fields: DefinitionInput;
  readonly dropped: readonly Dropped[];
}

const FIELDS = ['name', 'description', 'system_prompt', 'prompt_template', 'RAG_collections', 'RAG_Top_k'] as const;
const METADATA_KEYS = ['metadata', 'api_callback'] as const;
const ENVELOPE = new Set(['format', 'format_version', 'exported_at', 'assistant']);

/**
 * Reads our export, the bare definition, or a row that LAMB exported (metadata under `api_callback`). Ids, owners, dates
 * and whatever else is not part of a definition are left behind and listed. Types are checked afterwards, as in a POST.
 */
export function readImport(body: JsonObject): ReadImport {
  const wrapped = member(body, 'assistant');
  const source = isJsonObject(wrapped) ? wrapped : body;
  const base = isJsonObject(wrapped) ? 'assistant.' : '';
  const fields: Record<string, unknown> = {};
  for (const field of FIELDS) {
    const value = member(source, field);
    if (value !== undefined && value !== null) fields[field] = value;
  }
  const metadata = METADATA_KEYS.map((key) => member(source, key)).find(
    (value) => value !== undefined && value !== null,
  );
  if (metadata !== undefined) fields.metadata = metadata;
  const known = new Set<string>([...FIELDS, ...METADATA_KEYS]);
  const outside = isJsonObject(wrapped) ? Object.keys(body).filter((key) => !ENVELOPE.has(key)) : [];
  const inside = Object.keys(source).filter((key) => !known.has(key) && !(base === '' && ENVELOPE.has(key)));
  const reason = 'is not part of a definition';
  return {
    fields,
    dropped: [...outside.map((path) => ({ path, reason })), ...inside.map((key) => ({ path: base + key, reason }))],
  };
}
