import type { Problem } from '../kernel';
import { assistantType, parseMetadata, type StoredDefinition } from './metadata';
import type { Definition } from './storage/assistant.repository';

/** A definition as clients write it; absent members keep what was there. */
export interface DefinitionInput {
  readonly name?: string;
  readonly description?: string;
  readonly system_prompt?: string;
  readonly prompt_template?: string;
  /** Object, JSON string, or empty. */
  readonly metadata?: unknown;
  readonly RAG_collections?: string | readonly string[];
  readonly RAG_Top_k?: number;
}

export const EMPTY_DEFINITION: Definition = {
  type: 'classic',
  name: '',
  description: '',
  systemPrompt: '',
  promptTemplate: '',
  metadata: '',
  ragCollections: '',
  ragTopK: 3,
};

/** A string is kept to the letter; an object as JSON with its keys in the order they came. */
function metadataText(raw: unknown): string {
  if (raw === undefined || raw === null) return '';
  return typeof raw === 'string' ? raw : JSON.stringify(raw);
}

/** Lays what was given over a definition. The type follows from the metadata. */
export function applyInput(base: Definition, input: DefinitionInput): Definition {
  const metadata = input.metadata === undefined ? base.metadata : metadataText(input.metadata);
  const parsed = parseMetadata(metadata);
  const collections = input.RAG_collections ?? base.ragCollections;
  return {
    type: parsed.ok ? assistantType(parsed.metadata) : 'classic',
    name: input.name?.trim() ?? base.name,
    description: input.description ?? base.description,
    systemPrompt: input.system_prompt ?? base.systemPrompt,
    promptTemplate: input.prompt_template ?? base.promptTemplate,
    metadata,
    ragCollections: typeof collections === 'string' ? collections : collections.join(','),
    ragTopK: input.RAG_Top_k ?? base.ragTopK,
  };
}

export const definitionOf = (row: Definition): Definition => ({
  type: row.type,
  name: row.name,
  description: row.description,
  systemPrompt: row.systemPrompt,
  promptTemplate: row.promptTemplate,
  metadata: row.metadata,
  ragCollections: row.ragCollections,
  ragTopK: row.ragTopK,
});

/** What runs. Stored metadata that cannot be read counts as empty: a row never takes the list down with it. */
export function storedDefinition(definition: Omit<Definition, 'type' | 'name' | 'description'>): StoredDefinition {
  const parsed = parseMetadata(definition.metadata);
  return {
    systemPrompt: definition.systemPrompt,
    promptTemplate: definition.promptTemplate,
    metadata: parsed.ok ? parsed.metadata : {},
    ragCollections: collectionList(definition.ragCollections),
    ragTopK: definition.ragTopK,
  };
}

export const collectionList = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const FIELDS = {
  name: 'name',
  description: 'description',
  systemPrompt: 'system_prompt',
  promptTemplate: 'prompt_template',
  metadata: 'metadata',
  ragCollections: 'RAG_collections',
  ragTopK: 'RAG_Top_k',
} as const satisfies Partial<Record<keyof Definition, string>>;

export interface FieldChange {
  readonly path: string;
  readonly from: string | number;
  readonly to: string | number;
}

/** Fields that differ, by the names that clients use. */
export function changedFields(before: Definition, after: Definition): FieldChange[] {
  return (Object.keys(FIELDS) as (keyof typeof FIELDS)[])
    .filter((field) => before[field] !== after[field])
    .map((field) => ({ path: FIELDS[field], from: before[field], to: after[field] }));
}

const MAX_DEPTH = 30;
const MAX_VALUES = 20_000;

/** What would hurt in a JSON string that the body parser has not seen inside: depth, size, NUL, half surrogates, `__proto__`. */
export function metadataProblems(raw: unknown): Problem[] {
  const parsed = parseMetadata(raw);
  const refuse = (message: string): Problem[] => [{ path: 'metadata', message, code: 'metadata.invalid' }];
  if (!parsed.ok) return refuse(parsed.message);
  let level: unknown[] = [parsed.metadata];
  let values = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    values += level.length;
    if (depth > MAX_DEPTH || values > MAX_VALUES) return refuse('is too deep or holds too many values');
    if (!level.every(isStorable)) return refuse('holds a NUL character, half of a surrogate pair, or `__proto__`');
    level = level.flatMap((value): unknown[] =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return [];
}

const isStorableText = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
  return Object.keys(value).every((key) => key !== '__proto__' && isStorableText(key));
}
