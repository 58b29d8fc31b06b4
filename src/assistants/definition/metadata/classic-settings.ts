import type { JsonObject } from '../../../kernel';
import type { ClassicSettings } from './document.types';
import type { ProcessorDeclaration, StoredDefinition, ToolVocabulary } from './metadata.types';
import { member, textMember } from './parse-metadata';

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
