import { type JsonObject, isJsonObject } from '@bellwether/kernel';
import {
  type LabelledSlot,
  type Slot,
  type SlotGrammar,
  type TemplateStyle,
  USER_INPUT,
  automaticStyle,
  automaticTemplate,
  compileTemplate,
} from '@bellwether/kernel/templates';
import { MAX_SUGGESTED_QUESTIONS, MAX_SUGGESTED_QUESTION_CHARS, storedDefinition } from '../metadata/definition';
import type { AssistantDocument, Definition } from '../metadata/document.types';
import { member } from '../metadata/parse-metadata';
import { readToolEntries, unnumberedName } from '../metadata/tool-entries';
import { isMetadataVersion } from '../metadata/version';
import { normaliseDocument } from '../normalise';
import { toolsReadByTools } from './check-tools';
import { type Diagnostic, type MetadataRules, type PlaceholderState, error, warning } from './diagnostic.types';

type Kind = 'string' | 'boolean' | 'array' | 'object';

const KINDS: Readonly<Record<string, Kind>> = {
  assistant_type: 'string',
  connector: 'string',
  llm: 'string',
  orchestrator: 'string',
  orchestrator_options: 'object',
  prompt_processor: 'string',
  rag_processor: 'string',
  verbose: 'boolean',
  only_from_material: 'boolean',
  capabilities: 'object',
  tools: 'array',
  functions: 'array',
  suggested_questions: 'array',
};

const isOfKind = (value: unknown, kind: Kind): boolean => {
  if (kind === 'array') return Array.isArray(value);
  return kind === 'object' ? isJsonObject(value) : typeof value === kind;
};

const article = (kind: Kind): string => (/^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`);

/** Checks the version and the types of known members. Unknown members belong to the user. */
export function checkShape(metadata: JsonObject): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const [key, kind] of Object.entries(KINDS)) {
    const value = member(metadata, key);
    if (value !== undefined && value !== null && !isOfKind(value, kind))
      found.push(error('metadata.invalid', `metadata.${key}`, `must be ${article(kind)}`, { reason: 'value.type' }));
  }
  return [...found, ...checkVersion(metadata), ...checkEntries(metadata), ...checkSuggestedQuestions(metadata)];
}

function checkVersion(metadata: JsonObject): Diagnostic[] {
  const version = member(metadata, '_format_version');
  if (version === undefined || version === null || isMetadataVersion(version)) return [];
  return [error('metadata.version_unknown', 'metadata._format_version', 'must be 1, 2 or 3')];
}

function checkEntries(metadata: JsonObject): Diagnostic[] {
  return readToolEntries(metadata).malformed.map((path) =>
    error('tool.invalid', `metadata.${path}`, 'must be the name of a function, or an object with `plugin` or `type`', {
      reason: 'value.type',
    }),
  );
}

const QUESTION_LENGTH = { reason: 'value.length', least: 1, most: MAX_SUGGESTED_QUESTION_CHARS };
const QUESTION = `must be a text of 1 to ${MAX_SUGGESTED_QUESTION_CHARS} characters`;

function checkSuggestedQuestions(metadata: JsonObject): Diagnostic[] {
  const given = member(metadata, 'suggested_questions');
  if (!Array.isArray(given)) return [];
  const path = 'metadata.suggested_questions';
  if (given.length > MAX_SUGGESTED_QUESTIONS)
    return [
      error('metadata.invalid', path, `must hold at most ${MAX_SUGGESTED_QUESTIONS} questions`, {
        reason: 'value.max_items',
        limit: MAX_SUGGESTED_QUESTIONS,
      }),
    ];
  return (given as unknown[]).flatMap((question, index) =>
    isQuestion(question) ? [] : [error('metadata.invalid', `${path}[${index}]`, QUESTION, QUESTION_LENGTH)],
  );
}

const isQuestion = (value: unknown): boolean =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_SUGGESTED_QUESTION_CHARS;

/** A slot name with its tool or processor. */
interface Filler {
  readonly name: string;
  readonly enabled: boolean;
  /** Its tool runs after the answer, so nothing reaches the template. */
  readonly later?: boolean;
  /** Its slot stays empty on purpose: a classic assistant without retrieval keeps `{context}`. */
  readonly empty?: boolean;
  readonly index: number | null;
  /** Its content reaches the prompt through another tool. */
  readonly read?: boolean;
  /** Name that the author gave the tool. */
  readonly label?: string | undefined;
  /** Path of the problem when the template does not use it. */
  readonly path: string;
}

export interface TemplateCheck {
  readonly diagnostics: readonly Diagnostic[];
  readonly placeholders: readonly PlaceholderState[];
}

/**
 * Checks the placeholders of a stored template against its tools. `path` is the request's name of the template. Ranges
 * count UTF-16 code units of the stored text. An empty template passes the question unchanged.
 */
export function checkTemplate(
  template: string,
  path: string,
  document: AssistantDocument,
  rules: MetadataRules,
): TemplateCheck {
  const fillers = document.type === 'classic' ? classicFillers(document) : toolFillers(document, rules);
  const { slots } = compileTemplate(template, grammarOf(document, fillers, rules));
  const known = fillers.filter(({ enabled, empty }) => enabled || empty === true);
  const filled = new Set([USER_INPUT, ...known.map(({ name }) => name)]);
  const present = new Set(slots.map(({ name }) => name));
  return {
    diagnostics: [
      ...(template !== '' && !present.has(USER_INPUT) ? [noUserInput(path)] : []),
      ...slots.filter(({ name }) => !filled.has(name)).map((slot) => undefinedSlot(slot, path, fillers)),
      ...fillers.filter(({ name, enabled, read }) => enabled && read !== true && !present.has(name)).map(unusedFiller),
    ],
    placeholders: states(present, filled, fillers),
  };
}

/**
 * A multi-tool definition without a template gets the automatic one. `before`: the definition that a change of other
 * members starts from; its template follows the tools while it is automatic.
 */
export function withAutomaticTemplate<T extends Omit<Definition, 'name' | 'description'>>(
  definition: T,
  before: Definition | null,
  rules: MetadataRules,
): T {
  if (definition.type === 'classic') return definition;
  const { promptTemplate } = definition;
  const style = promptTemplate.trim() === '' ? 'en' : followedStyle(promptTemplate, before, rules);
  if (style === null) return definition;
  const slots = slotsOf(definition, rules);
  if (promptTemplate === '' && slots.length === 0) return definition;
  return { ...definition, promptTemplate: automaticTemplate(slots, style) };
}

function followedStyle(template: string, before: Definition | null, rules: MetadataRules): TemplateStyle | null {
  if (before === null || before.type === 'classic' || before.promptTemplate !== template) return null;
  return automaticStyle(template, slotsOf(before, rules), 'en');
}

/** The slots of the enabled tools, in tool order. */
function slotsOf(definition: Omit<Definition, 'name' | 'description'>, rules: MetadataRules): LabelledSlot[] {
  const document = normaliseDocument(storedDefinition(definition), rules);
  return toolFillers(document, rules).filter(({ enabled }) => enabled);
}

function classicFillers({ classic }: AssistantDocument): Filler[] {
  const { fetches, slots } = classic;
  return slots.map((name) =>
    name === 'context'
      ? { name, enabled: fetches, empty: !fetches, index: null, path: 'metadata.rag_processor' }
      : { name, enabled: true, index: null, path: 'metadata.prompt_processor' },
  );
}

/**
 * Tools that fill slots. Several tools of version 2 may share a name. Each name counts once, and is enabled when one of
 * its tools is.
 */
function toolFillers(document: AssistantDocument, rules: MetadataRules): Filler[] {
  const fillers = new Map<string, Filler>();
  const stored = readToolEntries(document.raw).pipeline;
  const readIndexes = toolsReadByTools(document.raw, rules);
  for (const [position, { index, plugin, config, placeholder, enabled, label }] of document.pipeline.entries()) {
    const entry = stored[position];
    const name = document.formatVersion === 2 && entry !== undefined ? unnumberedName(entry, rules) : placeholder;
    // No tool fills the question; `checkTool` refuses a tool with its name.
    if (name === null || name === USER_INPUT) continue;
    const later = rules.looksAtAnswer(plugin, config);
    const fills = enabled && !later;
    const read = readIndexes.has(index);
    const earlier = fillers.get(name);
    if (earlier === undefined)
      fillers.set(name, {
        name,
        enabled: fills,
        later,
        index,
        label,
        read,
        path: `metadata.tools[${index}].placeholder`,
      });
    else fillers.set(name, { ...earlier, enabled: earlier.enabled || fills, read: earlier.read === true && read });
  }
  return [...fillers.values()];
}

function grammarOf(document: AssistantDocument, fillers: readonly Filler[], rules: MetadataRules): SlotGrammar {
  const names = fillers.map(({ name }) => name);
  return document.type === 'classic' ? { types: [], names } : { types: rules.placeholderTypes(), names };
}

const noUserInput = (path: string): Diagnostic =>
  warning('template.no_user_input', path, 'The template has no {user_input}: the question will not reach the model');

function undefinedSlot({ name, start, end }: Slot, path: string, fillers: readonly Filler[]): Diagnostic {
  const owner = fillers.find((filler) => filler.name === name);
  const off = owner?.later === true ? 'its tool looks at the finished answer' : 'its tool is switched off';
  const reason = owner === undefined ? 'no tool provides it' : off;
  const values = { reason: owner === undefined ? 'slot.no_tool' : `slot.${owner.later ? 'after_answer' : 'off'}` };
  const found = warning('placeholder.undefined', path, `{${name}} stays empty: ${reason}`, values);
  return { ...found, range: { start, end } };
}

const unusedFiller = ({ name, path }: Filler): Diagnostic =>
  warning('placeholder.unused', path, `{${name}} is not used in the template`);

function states(
  present: ReadonlySet<string>,
  filled: ReadonlySet<string>,
  fillers: readonly Filler[],
): PlaceholderState[] {
  const indexOf = new Map(fillers.map(({ name, index }) => [name, index]));
  const withTool = (name: string): { tool_index?: number } => {
    const index = indexOf.get(name) ?? null;
    return index === null ? {} : { tool_index: index };
  };
  const unused = [USER_INPUT, ...fillers.filter(({ enabled }) => enabled).map(({ name }) => name)];
  return [
    ...[...present].map((name): PlaceholderState => ({
      name,
      state: filled.has(name) ? 'used' : 'undefined',
      ...withTool(name),
    })),
    ...unused
      .filter((name) => !present.has(name))
      .map((name): PlaceholderState => ({ name, state: 'unused', ...withTool(name) })),
  ];
}
