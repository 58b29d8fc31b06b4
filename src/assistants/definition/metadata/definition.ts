import { isJsonObject, type Problem, storageProblem } from '../../../kernel';
import type { Definition } from './document.types';
import { bindCollections, withoutUnbound } from './bind-collections';
import { withToolUse } from './canonical-metadata';
import type { StoredDefinition } from './metadata.types';
import { parseMetadata } from './parse-metadata';
import { assistantType } from './version';

/** A definition as clients send it; absent members keep their value. */
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

/** Keeps a string unchanged, and an object as JSON with its keys in order. */
function metadataText(raw: unknown): string {
  if (raw === undefined || raw === null) return '';
  return typeof raw === 'string' ? raw : JSON.stringify(raw);
}

/** True for absent metadata, and for metadata sent back as answered: members derived on output are no change. */
function isAnswerOf(stored: string, given: unknown): boolean {
  if (given === undefined) return true;
  const parsed = parseMetadata(stored);
  return isJsonObject(given) && parsed.ok && metadataText(given) === metadataText(withToolUse(parsed.metadata));
}

/** Applies an input to a definition. The type follows from the metadata. */
export function applyInput(base: Definition, input: DefinitionInput): Definition {
  const metadata = isAnswerOf(base.metadata, input.metadata) ? base.metadata : metadataText(input.metadata);
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
  ...(row.collectionIds === undefined ? {} : { collectionIds: row.collectionIds }),
});

/** Unreadable metadata counts as empty, so that one row cannot break a list. */
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

/** The members that answers show to people who may edit, by the names of the API. */
export function definitionAnswer(definition: Omit<Definition, 'type' | 'name' | 'description'>) {
  const { systemPrompt, promptTemplate, metadata, ragCollections, ragTopK } = storedDefinition(definition);
  return {
    system_prompt: systemPrompt,
    prompt_template: promptTemplate,
    metadata,
    RAG_collections: [...ragCollections],
    RAG_Top_k: ragTopK,
  };
}

/** The definition for runs: as `boundDefinition`, and what is not bound names nothing. */
export function runningDefinition(definition: Omit<Definition, 'type' | 'name' | 'description'>): StoredDefinition {
  const ids = definition.collectionIds ?? null;
  return bindCollections(withoutUnbound(storedDefinition(definition), ids), ids);
}

/** The definition for checks: collection names have their meaning at the last save. */
export const boundDefinition = (definition: Omit<Definition, 'type' | 'name' | 'description'>): StoredDefinition =>
  bindCollections(storedDefinition(definition), definition.collectionIds ?? null);

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

/** Changed fields, by the names of the API. */
export function changedFields(before: Definition, after: Definition): FieldChange[] {
  return (Object.keys(FIELDS) as (keyof typeof FIELDS)[])
    .filter((field) => before[field] !== after[field])
    .map((field) => ({ path: FIELDS[field], from: before[field], to: after[field] }));
}

/** Problems of metadata that cannot be stored. The body parser does not check JSON inside a string. */
export function metadataProblems(raw: unknown): Problem[] {
  const parsed = parseMetadata(raw);
  const message = parsed.ok ? storageProblem(parsed.metadata) : parsed.message;
  return message === null ? [] : [{ path: 'metadata', message, code: 'metadata.invalid' }];
}
