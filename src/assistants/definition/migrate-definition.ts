import { type JsonObject, type Problem, isJsonObject } from '@bellwether/kernel';
import { type Segment, USER_INPUT, compileTemplate } from '@bellwether/kernel/templates';
import { classicSettings, metadataProblems, storedDefinition } from './metadata/definition';
import type {
  AssistantDocument,
  ClassicDefinition,
  ClassicSettings,
  Definition,
  MetadataVersion,
  StepResult,
  StoredDefinition,
  ToolVocabulary,
} from './metadata/document.types';
import { member, parseMetadata, textMember } from './metadata/parse-metadata';
import { readToolEntries } from './metadata/tool-entries';
import { assistantType, runningVersion, versionProblem } from './metadata/version';
import { entryProblems, normaliseDocument } from './normalise';
import { stepV2ToV3 } from './v2-to-v3.step';

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

/**
 * Renames the slots of a classic template in one pass; null removes a slot. A classic assistant puts newlines around an
 * empty context, a tool's slot does not. So a newline replaces a `{context}` between two words, and an otherwise empty
 * template. `isFramed` is false where `{context}` is removed without newlines.
 */
export function rewriteClassicTemplate(
  template: string,
  renames: ReadonlyMap<string, string | null>,
  isFramed = true,
): string {
  const { segments } = compileTemplate(template, { types: [], names: [...renames.keys()] });
  const before = touching(segments, /\S$/);
  const after = touching(segments.toReversed(), /^\S/).toReversed();
  const parts = segments.map((segment, position) => {
    if (segment.kind === 'literal') return segment.text;
    const { name } = segment.slot;
    if (name === USER_INPUT) return `{${name}}`;
    const renamed = renames.get(name) ?? null;
    const isBetweenWords = before[position] === true && after[position] === true;
    const parted = isFramed && name === 'context' && isBetweenWords ? '\n' : '';
    return `${parted}${renamed === null ? '' : `{${renamed}}`}`;
  });
  const rewritten = parts.join('');
  return rewritten === '' && template !== '' ? '\n' : rewritten;
}

/** Tells for each segment whether a word ends right before it, ignoring slots that may be empty. */
function touching(segments: readonly Segment[], edge: RegExp): boolean[] {
  let word = false;
  return segments.map((segment) => {
    const touched = word;
    if (segment.kind === 'literal') word = edge.test(segment.text);
    else if (segment.slot.name === USER_INPUT) word = false;
    return touched;
  });
}

/** Maxima of the tools' schemas; classic assistants have no such limits. */
const LONGEST_FILE = 10_000_000;
const LARGEST_BUDGET = 100_000;

/** Appends the list of sources to the content, like a classic assistant. */
const SOURCES = { sources_in_prompt: 'lamb' };

/** A new entry of `tools` in version 2, and its slot. */
interface NewTool {
  readonly type: string;
  readonly slot: string;
  readonly config: JsonObject;
}

/**
 * Version 1 (LAMB's classic assistants) to 2. The RAG processor becomes a tool, and `{context}`
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

export interface PromptDifference {
  /** Name of the recorded input. */
  readonly input: string;
  /** Excerpts of both prompts around the first difference. */
  readonly before: string;
  readonly after: string;
}

/** The plan for migrating one definition to a metadata version. */
export type RewritePlan =
  | { readonly status: 'current'; readonly from: MetadataVersion }
  | {
      readonly status: 'ready';
      readonly from: MetadataVersion;
      readonly to: MetadataVersion;
      /** Metadata, template and type are new; everything else is the old definition's. */
      readonly definition: Definition;
      /** Notes for the operator that do not block the migration. */
      readonly notes: readonly Problem[];
    }
  | {
      readonly status: 'refused';
      /** null when the stored document cannot be read at all. */
      readonly from: MetadataVersion | null;
      readonly problems: readonly Problem[];
      readonly differences: readonly PromptDifference[];
    };

const SUSPICIOUS = /\d{16}|\d[eE]/;
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Reports numbers that JavaScript cannot represent exactly: a rewrite would change them. */
export function numberProblems(text: string): readonly Problem[] {
  if (!SUSPICIOUS.test(text)) return [];
  for (const [token] of text.matchAll(TOKENS)) {
    if (token.startsWith('"') || isKept(token)) continue;
    const message = `holds the number ${token.slice(0, 40)}, which cannot be kept exactly`;
    return [{ path: 'metadata', code: 'metadata.invalid', message }];
  }
  return [];
}

function isKept(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  return /[.eE]/.test(token) || BigInt(token) === BigInt(value);
}

/**
 * Migrates a definition step by step, without any proof of prompts or of validity. Never throws. Refuses a document
 * whose content would change or get lost.
 */
export function migrateDefinition(definition: Definition, to: MetadataVersion, tools: ToolVocabulary): RewritePlan {
  const unreadable = metadataProblems(definition.metadata);
  if (unreadable.length > 0) return refused(null, unreadable);
  const stored = storedDefinition(definition);
  const version = versionProblem(stored.metadata);
  if (version !== null) return refused(null, [version]);
  const from = runningVersion(stored.metadata);
  if (from >= to) return { status: 'current', from };
  const problems = [...numberProblems(definition.metadata), ...(from === 1 ? [] : entryProblems(stored.metadata))];
  if (problems.length > 0) return refused(from, problems);
  const result = steps(stored, to, tools);
  if (!result.ok) return refused(from, result.problems);
  const { metadata, template } = result.definition;
  return {
    status: 'ready',
    from,
    to,
    definition: {
      ...definition,
      type: assistantType(metadata),
      metadata: JSON.stringify(metadata),
      promptTemplate: template,
    },
    notes: result.notes,
  };
}

function steps(stored: StoredDefinition, to: MetadataVersion, tools: ToolVocabulary): StepResult {
  const { promptTemplate: template, ...rest } = stored;
  const second = stepV1ToV2({ template, ...rest }, tools);
  return !second.ok || to === 2 ? second : { ...second, definition: stepV2ToV3(second.definition, tools) };
}

const refused = (from: MetadataVersion | null, problems: readonly Problem[]): RewritePlan => ({
  status: 'refused',
  from,
  problems,
  differences: [],
});

export const definitionDocument = (definition: Definition, tools: ToolVocabulary): AssistantDocument =>
  normaliseDocument(storedDefinition(definition), tools);

/** The stored document; empty when it is unreadable. */
export function definitionMetadata(definition: Definition): JsonObject {
  const parsed = parseMetadata(definition.metadata);
  return parsed.ok && isJsonObject(parsed.metadata) ? parsed.metadata : {};
}
