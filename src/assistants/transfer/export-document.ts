import { type Definition, definitionAnswer, type DefinitionInput, member } from '../definition';
import { invalid, isJsonObject, type JsonObject } from '../../kernel';
import type { DroppedDto } from './import.dto';

export const EXPORT_FORMAT = 'bellwether.assistant';
const FORMAT_VERSION = 1;

/** A definition without ids, owners or anything else of its installation. */
export const exportDocument = (row: Definition) => ({
  format: EXPORT_FORMAT,
  format_version: FORMAT_VERSION,
  assistant: {
    name: row.name,
    description: row.description,
    ...definitionAnswer(row),
    RAG_collections: row.ragCollections,
  },
});

export type ExportedAssistant = ReturnType<typeof exportDocument>;

export interface ReadImport {
  readonly fields: DefinitionInput;
  readonly dropped: readonly DroppedDto[];
}

/** @throws {AppError} `validation_failed` for an export in another format, which could mean something else. */
function assertReadable(body: JsonObject): void {
  const expected = { format: EXPORT_FORMAT, format_version: FORMAT_VERSION } as const;
  const problems = Object.entries(expected)
    .filter(([key, value]) => Object.hasOwn(body, key) && body[key] !== value)
    .map(([path, value]) => ({ path, message: `must be ${JSON.stringify(value)}`, code: 'import.format' }));
  if (problems.length > 0) throw invalid(problems, 'The file cannot be imported');
}

const FIELDS = ['name', 'description', 'system_prompt', 'prompt_template', 'RAG_collections', 'RAG_Top_k'] as const;
const METADATA_KEYS = ['metadata', 'api_callback'] as const;
const ENVELOPE = new Set(['format', 'format_version', 'exported_at', 'assistant']);

/**
 * Reads our export, a bare definition, or a row that LAMB exported (metadata under `api_callback`). Members that are
 * not part of a definition are dropped and listed. Types are validated later, as in a POST.
 */
export function readImport(body: JsonObject): ReadImport {
  assertReadable(body);
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
  const why = { reason: 'is not part of a definition', code: 'import.unknown' } as const;
  return {
    fields,
    dropped: [...outside.map((path) => ({ path, ...why })), ...inside.map((key) => ({ path: base + key, ...why }))],
  };
}
