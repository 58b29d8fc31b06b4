import { type JsonObject, type Problem, isJsonObject, storageProblem } from '@bellwether/kernel';
import { bindCollections, withoutUnbound } from './bind-collections';
import type {
  ClassicSettings,
  Definition,
  ProcessorDeclaration,
  StoredDefinition,
  ToolVocabulary,
} from './document.types';
import { member, parseMetadata, textMember } from './parse-metadata';
import { assignPlaceholders, readToolEntries } from './tool-entries';
import { assistantType, metadataVersion } from './version';

/** The settings of a classic assistant with aliases resolved. A value of the wrong type counts as absent. */
export function classicSettings(
  stored: Pick<StoredDefinition, 'metadata' | 'ragCollections' | 'ragTopK'>,
  vocabulary: Pick<ToolVocabulary, 'findPrompt' | 'findRag'>,
): ClassicSettings {
  const { metadata } = stored;
  const rubricId = member(metadata, 'rubric_id');
  return {
    ...processorsOf(metadata, vocabulary),
    collections: stored.ragCollections,
    topK: stored.ragTopK,
    rubricId: typeof rubricId === 'number' ? rubricId : textMember(metadata, 'rubric_id'),
    rubricFormat: textMember(metadata, 'rubric_format') ?? 'markdown',
    filePath: textMember(metadata, 'file_path'),
  };
}

type Chosen = Pick<
  ClassicSettings,
  'promptProcessor' | 'ragProcessor' | 'ragProcessorAbsent' | 'fetches' | 'reads' | 'slots'
>;

function processorsOf(metadata: JsonObject, vocabulary: Pick<ToolVocabulary, 'findPrompt' | 'findRag'>): Chosen {
  const chosen = textMember(metadata, 'rag_processor');
  const ragName = chosen ?? 'no_rag';
  const promptName = textMember(metadata, 'prompt_processor') ?? 'simple_augment';
  const { definition: prompt = { name: promptName } } = vocabulary.findPrompt(promptName) ?? {};
  // A processor that is not installed counts as one that fetches.
  const { definition: rag = { name: ragName, slots: ['context'] } } = vocabulary.findRag(ragName) ?? {};
  const { slots = [], settings = [] }: ProcessorDeclaration = rag;
  const { slots: own = [] }: ProcessorDeclaration = prompt;
  return {
    promptProcessor: prompt.name,
    ragProcessor: rag.name,
    fetches: slots.includes('context'),
    reads: settings,
    slots: ['context', ...own],
    ...(chosen === null ? { ragProcessorAbsent: true } : {}),
  };
}

export const MAX_EXAMPLE_QUESTIONS = 10;
export const MAX_EXAMPLE_QUESTION_CHARS = 200;

/** Questions that a tool is for. Empty or overlong entries of unchecked documents are left out. */
export function exampleQuestions(entry: JsonObject): readonly string[] {
  const given = member(entry, 'example_questions');
  if (!Array.isArray(given)) return [];
  return (given as unknown[])
    .flatMap((question) => (typeof question === 'string' ? [question.trim()] : []))
    .filter((question) => question !== '' && question.length <= MAX_EXAMPLE_QUESTION_CHARS)
    .slice(0, MAX_EXAMPLE_QUESTIONS);
}

export const MAX_SUGGESTED_QUESTIONS = 6;
export const MAX_SUGGESTED_QUESTION_CHARS = 200;

/** First questions that the chat offers. Empty or overlong entries of unchecked documents are left out. */
export function suggestedQuestions(metadata: JsonObject): readonly string[] {
  const given = member(metadata, 'suggested_questions');
  if (!Array.isArray(given)) return [];
  return (given as unknown[])
    .flatMap((question) => (typeof question === 'string' ? [question.trim()] : []))
    .filter((question) => question !== '' && question.length <= MAX_SUGGESTED_QUESTION_CHARS)
    .slice(0, MAX_SUGGESTED_QUESTIONS);
}

/**
 * Completes a version 3 document with `_format_version`, the placeholder of each tool, and `plugin` in place of `type`.
 * Other versions and complete documents are returned unchanged.
 */
export function canonicalMetadata(text: string, tools: ToolVocabulary): string {
  const parsed = parseMetadata(text);
  if (!parsed.ok) return text;
  const { metadata } = parsed;
  if (assistantType(metadata) !== 'multi_tool' || metadataVersion(metadata) !== 3) return text;
  const completed = completeDocument(metadata, tools);
  return completed === metadata ? text : JSON.stringify(completed);
}

function completeDocument(metadata: JsonObject, tools: ToolVocabulary): JsonObject {
  const entries = completeTools(metadata, tools);
  const isVersioned = member(metadata, '_format_version') === 3;
  if (isVersioned && entries === null) return metadata;
  const { _format_version: _none, ...rest } = metadata;
  const document = isVersioned ? metadata : { _format_version: 3, ...rest };
  return entries === null ? document : { ...document, tools: entries };
}

/** Null when no entry changes. */
function completeTools(metadata: JsonObject, tools: ToolVocabulary): readonly unknown[] | null {
  const { pipeline } = readToolEntries(metadata);
  const placeholders = assignPlaceholders(pipeline, 3, tools);
  const changed = new Map<number, JsonObject>();
  for (const [position, { index, plugin, entry }] of pipeline.entries()) {
    const placeholder = placeholders[position] ?? null;
    const isNamed = textMember(entry, 'plugin') !== null;
    const isPlaced = placeholder === null || textMember(entry, 'placeholder') !== null;
    if (isNamed && isPlaced) continue;
    const { type, plugin: _plugin, placeholder: _placeholder, ...rest } = entry;
    changed.set(index, {
      plugin: isNamed ? member(entry, 'plugin') : tools.canonicalName(plugin),
      ...(isNamed && type !== undefined ? { type } : {}),
      ...(isPlaced ? given(entry) : { placeholder }),
      ...rest,
    });
  }
  const list = member(metadata, 'tools');
  return changed.size === 0 || !Array.isArray(list)
    ? null
    : list.map((entry: unknown, index) => changed.get(index) ?? entry);
}

const given = (entry: JsonObject): JsonObject =>
  Object.hasOwn(entry, 'placeholder') ? { placeholder: entry['placeholder'] } : {};

/** Sets `capabilities.tool_use` in answers: true when the document has functions. */
export function withToolUse(metadata: JsonObject): JsonObject {
  const tool_use = readToolEntries(metadata).functions.length > 0;
  const capabilities = member(metadata, 'capabilities');
  if (isJsonObject(capabilities)) {
    return member(capabilities, 'tool_use') === tool_use
      ? metadata
      : { ...metadata, capabilities: { ...capabilities, tool_use } };
  }
  const isFree = capabilities === undefined || capabilities === null;
  return tool_use && isFree ? { ...metadata, capabilities: { tool_use } } : metadata;
}

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
