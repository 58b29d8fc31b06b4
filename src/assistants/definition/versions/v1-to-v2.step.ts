import type { JsonObject, Problem } from '../../../kernel';
import { compileTemplate, USER_INPUT } from '../../../kernel/templates';
import type { ClassicSettings } from '../metadata/document.types';
import { classicSettings } from '../metadata/classic-settings';
import { isSafeStrategy, pluginProblems } from './classic-problems';
import { entryProblems } from './entry-problems';
import type { ClassicDefinition, StepResult, ToolVocabulary } from '../metadata/metadata.types';
import { member, textMember } from '../metadata/parse-metadata';
import { rewriteClassicTemplate } from './rewrite-classic-template';
import { readToolEntries } from '../metadata/tool-entries';
import { assistantType } from '../metadata/version';

/** Maxima of the tools' schemas; classic assistants have no such limits. */
const LONGEST_FILE = 10_000_000;
const LARGEST_BUDGET = 100_000;

/** Appends the list of sources to the content, like a classic assistant. */
const SOURCES = { sources_in_prompt: 'lamb' };

/** A new entry of `tools` (spec 001) and its slot. */
interface NewTool {
  readonly type: string;
  readonly slot: string;
  readonly config: JsonObject;
}

/**
 * Version 1 (LAMB's classic assistants) to 2 (spec 001 §6.1, §10.5). The RAG processor becomes a tool, and `{context}`
 * its placeholder. Knowledge bases and top-k are copied from their columns, which stay. Functions move from `tools` to
 * `functions`, and unknown keys are kept. Refuses a document that would run differently. A document that does not run
 * as classic is returned unchanged.
 */
export function stepV1ToV2(definition: ClassicDefinition, tools: ToolVocabulary): StepResult {
  const { metadata, template } = definition;
  if (assistantType(metadata) !== 'classic') return { ok: true, definition: { metadata, template }, notes: [] };
  const settings = classicSettings(definition, tools);
  const problems = [
    ...entryProblems(metadata),
    ...pluginProblems(metadata, settings),
    ...slotProblems(template, settings, tools),
    ...mixtureProblems(metadata),
  ];
  if (problems.length > 0) return { ok: false, problems };
  const rag = ragTool(settings, metadata);
  const added = [...(rag === null ? [] : [rag]), ...moodleTool(settings, template)];
  const renames = new Map<string, string | null>([
    ['context', rag?.slot ?? null],
    ...settings.slots.filter((slot) => slot !== 'context').map((slot) => [slot, slot] as const),
  ]);
  return {
    ok: true,
    definition: {
      metadata: document(metadata, added),
      template: rewriteClassicTemplate(template, renames, settings.ragProcessorAbsent !== true),
    },
    notes: formatNotes(settings),
  };
}

function document(metadata: JsonObject, added: readonly NewTool[]): JsonObject {
  const { _format_version: _version, rag_processor: _rag, ...kept } = metadata;
  const { rubric_id: _id, rubric_format: _format, file_path: _path, tools, functions, ...rest } = kept;
  const moved = [...listOf(tools), ...listOf(functions)];
  return {
    _format_version: 2,
    ...rest,
    tools: added.map(({ type, config }) => ({ type, enabled: true, config })),
    ...(moved.length === 0 && functions === undefined ? {} : { functions: moved }),
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function ragTool(settings: ClassicSettings, metadata: JsonObject): NewTool | null {
  const rewrite = settings.promptProcessor === 'context_aware_augment' ? { rewrite_query: true } : {};
  switch (settings.ragProcessor) {
    case 'simple_rag':
      return search(settings, { ...rewrite, max_tokens: LARGEST_BUDGET });
    case 'context_aware_rag':
      return search(settings, { rewrite_query: true });
    case 'hierarchical_rag':
      return search(settings, { rewrite_query: true, parent: true });
    case 'rubric_rag': {
      const rubric_id = chosen(metadata, 'rubric_id');
      const config = { rubric_id, format: formatOf(settings), for_evaluation: true, ...SOURCES };
      return { type: 'rubric', slot: 'rubric', config };
    }
    case 'single_file_rag': {
      const file_path = chosen(metadata, 'file_path');
      return { type: 'single_file', slot: 'file', config: { file_path, max_chars: LONGEST_FILE, ...SOURCES } };
    }
    default:
      return null;
  }
}

const search = ({ collections, topK }: ClassicSettings, more: JsonObject): NewTool => ({
  type: 'simple_rag',
  slot: 'context',
  config: { collections: [...new Set(collections)], top_k: topK, ...more, ...SOURCES },
});

/** null for an absent value. An unreadable value is kept for the tool's schema to refuse. */
function chosen(metadata: JsonObject, key: string): unknown {
  const value = member(metadata, key) ?? null;
  return typeof value === 'string' ? textMember(metadata, key) : value;
}

const formatOf = ({ rubricFormat }: ClassicSettings): string => (rubricFormat === 'json' ? 'json' : 'markdown');

function formatNotes(settings: ClassicSettings): readonly Problem[] {
  if (settings.ragProcessor !== 'rubric_rag' || settings.rubricFormat === formatOf(settings)) return [];
  return [{ path: 'metadata.rubric_format', message: 'is no format of rubrics: `markdown`, as until now' }];
}

function moodleTool(settings: ClassicSettings, template: string): readonly NewTool[] {
  const slot = 'moodle_user';
  if (!settings.slots.includes(slot)) return [];
  const { slots } = compileTemplate(template, { types: [], names: [slot] });
  return slots.some(({ name }) => name === slot) ? [{ type: slot, slot, config: {} }] : [];
}

/** Reports braces that are text in a classic template and would become slots. */
function slotProblems(template: string, settings: ClassicSettings, tools: ToolVocabulary): readonly Problem[] {
  const own = new Set([USER_INPUT, ...settings.slots]);
  const { slots } = compileTemplate(template, { types: tools.placeholderTypes(), names: [] });
  const names = new Set(slots.map(({ name }) => name).filter((name) => !own.has(name)));
  return [...names].slice(0, 20).map((name) => {
    const text = `{${name}}`;
    const message = `\`${text}\` is text in a classic template and would become a slot`;
    return { path: 'prompt_template', code: 'template.text_becomes_slot', values: { text }, message };
  });
}

function mixtureProblems(metadata: JsonObject): readonly Problem[] {
  const pipeline = readToolEntries(metadata).pipeline.map(({ index }): Problem => {
    const message = 'is a tool that runs before the model, which a classic assistant ignores';
    return { path: `metadata.tools[${index}]`, code: 'tool.ignored', message };
  });
  if (isSafeStrategy(textMember(metadata, 'orchestrator'))) return pipeline;
  const message = 'is ignored by a classic assistant and would decide which tools run';
  return [...pipeline, { path: 'metadata.orchestrator', code: 'orchestrator.ignored', message }];
}

/** Path in a classic assistant of a path in the version 2 document. */
export function classicPath(path: string): string {
  const [, setting] = /^metadata\.tools\[0\]\.config\.(\w+)/.exec(path) ?? [];
  return (setting === undefined ? undefined : CLASSIC_PATHS.get(setting)) ?? path;
}

const CLASSIC_PATHS: ReadonlyMap<string, string> = new Map([
  ['collections', 'RAG_collections'],
  ['top_k', 'RAG_Top_k'],
  ['rubric_id', 'metadata.rubric_id'],
  ['file_path', 'metadata.file_path'],
]);
