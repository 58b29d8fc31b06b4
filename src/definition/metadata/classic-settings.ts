import type { ClassicSettings } from '../document.types';
import type { StoredDefinition, ToolVocabulary } from './metadata.types';
import { member, textMember } from './parse-metadata';

/** `default` and `No RAG` are written by LAMB's own defaults and name no plugin. */
const PROMPT_PROCESSOR_ALIASES: ReadonlyMap<string, string> = new Map([['default', 'simple_augment']]);
const RAG_PROCESSOR_ALIASES: ReadonlyMap<string, string> = new Map([
  ['No RAG', 'no_rag'],
  ['none', 'no_rag'],
]);

const resolved = (name: string, aliases: ReadonlyMap<string, string>): string => aliases.get(name) ?? name;

/** What a classic assistant runs, with old names resolved. What has the wrong type counts as absent. */
export function classicSettings(
  stored: Pick<StoredDefinition, 'metadata' | 'ragCollections' | 'ragTopK'>,
  tools: ToolVocabulary,
): ClassicSettings {
  const { metadata } = stored;
  const chosen = textMember(metadata, 'rag_processor');
  const ragProcessor = resolved(chosen ?? 'no_rag', RAG_PROCESSOR_ALIASES);
  const rubricId = member(metadata, 'rubric_id');
  return {
    promptProcessor: resolved(textMember(metadata, 'prompt_processor') ?? 'simple_augment', PROMPT_PROCESSOR_ALIASES),
    ragProcessor: tools.canonicalName(ragProcessor),
    ...(chosen === null ? { ragProcessorAbsent: true } : {}),
    collections: stored.ragCollections,
    topK: stored.ragTopK,
    rubricId: typeof rubricId === 'number' ? rubricId : textMember(metadata, 'rubric_id'),
    rubricFormat: textMember(metadata, 'rubric_format') ?? 'markdown',
    filePath: textMember(metadata, 'file_path'),
  };
}

/** What classic prompt processors fill beside `{user_input}`; no other brace of a classic template is a slot. */
export const classicSlots = ({ promptProcessor }: Pick<ClassicSettings, 'promptProcessor'>): readonly string[] =>
  promptProcessor === 'moodle_augment' ? ['context', 'moodle_user'] : ['context'];
