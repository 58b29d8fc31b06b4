import type { JsonObject, Problem } from '../../../kernel';
import type { ClassicSettings } from '../metadata/document.types';
import { member } from '../metadata/parse-metadata';
import { readToolEntries } from '../metadata/tool-entries';

/** Classic processors with an equivalent tool. */
const PROMPT_PROCESSORS: ReadonlySet<string> = new Set([
  'simple_augment',
  'tool_augment',
  'context_aware_augment',
  'moodle_augment',
]);
const RAG_PROCESSORS: ReadonlySet<string> = new Set([
  'no_rag',
  'simple_rag',
  'context_aware_rag',
  'hierarchical_rag',
  'rubric_rag',
  'single_file_rag',
]);

/** These two behave the same with one or two tools without settings. */
export const isSafeStrategy = (name: string | null): boolean =>
  name === null || name === 'sequential' || name === 'parallel';

/** Reports classic processors without an equivalent tool. */
export function pluginProblems(metadata: JsonObject, settings: ClassicSettings): readonly Problem[] {
  const { promptProcessor, ragProcessor } = settings;
  const problems: Problem[] = [];
  const rag = member(metadata, 'rag_processor') ?? null;
  if (rag !== null && typeof rag !== 'string')
    problems.push({ path: 'metadata.rag_processor', code: 'metadata.invalid', message: 'must be a string' });
  if (!RAG_PROCESSORS.has(ragProcessor)) problems.push(unknown('rag_processor', ragProcessor));
  if (!PROMPT_PROCESSORS.has(promptProcessor)) problems.push(unknown('prompt_processor', promptProcessor));
  if (promptProcessor === 'tool_augment' && readToolEntries(metadata).functions.length > 0) {
    const message = 'describes the functions in the system prompt, which no tool does';
    problems.push({ path: 'metadata.prompt_processor', code: 'processor.no_equivalent', message });
  }
  return problems;
}

const unknown = (key: string, name: string): Problem => ({
  path: `metadata.${key}`,
  code: 'processor.unknown',
  message: `there is no processor \`${name.slice(0, 64)}\``,
});
