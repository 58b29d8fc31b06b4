import { type JsonObject, isJsonObject } from '@bellwether/kernel';
import { USER_INPUT, isPlaceholderFor } from '@bellwether/kernel/templates';
import { checkCondition } from '../../../orchestrators';
import { FALLBACK_CONDITIONS, ON_DEPENDENCY_FAILURE, ON_ERROR, closestName } from '../../../tools';
import { MAX_EXAMPLE_QUESTIONS, MAX_EXAMPLE_QUESTION_CHARS } from '../metadata/definition';
import { member, objectMember, textMember } from '../metadata/parse-metadata';
import type { ToolEntry } from '../metadata/tool-entries';
import {
  type Diagnostic,
  type DiagnosticValues,
  type MetadataRules,
  error,
  info,
  misspelt,
  reasonOf,
} from './diagnostic.types';

export const MAX_TIMEOUT_MS = 600_000;
export const MAX_RETRIES = 10;
/** Characters of the name that an author gives a tool. */
export const MAX_LABEL = 80;
const MAX_SHOWN = 64;

export const joinPath = (base: string, path: string): string => {
  if (path === '') return base;
  return path.startsWith('[') ? base + path : `${base}.${path}`;
};

/** The checks of one pipeline tool that need no other module. */
export function checkTool(tool: ToolEntry, rules: MetadataRules): Diagnostic[] {
  const { entry } = tool;
  const base = `metadata.tools[${tool.index}]`;
  const nameKey = textMember(entry, 'plugin') === null ? 'type' : 'plugin';
  return [
    ...checkPlugin(tool.plugin, `${base}.${nameKey}`, rules),
    ...checkType(entry, `${base}.type`, rules),
    ...checkPlaceholder(tool, `${base}.placeholder`, rules),
    ...checkConfig(tool.plugin, member(entry, 'config'), `${base}.config`, rules),
    ...checkOptions(entry, base),
    ...checkKeys(entry, base, ENTRY_KEYS),
    ...checkWhen(entry, `${base}.when`),
    ...checkFallback(entry, `${base}.fallback`, rules),
  ];
}

function checkPlugin(plugin: string, path: string, rules: MetadataRules): Diagnostic[] {
  if (rules.placeholderOf(plugin) !== undefined) return [];
  const closest = rules.closestTool(plugin);
  const hint = closest === null ? '' : `; did you mean "${closest}"?`;
  const shown = plugin.slice(0, MAX_SHOWN);
  return [error('tool.unknown', path, `no tool is called "${shown}"${hint}`, misspelt(shown, closest))];
}

/** `plugin` decides; a `type` that means another tool is a slip of whoever wrote it. */
function checkType(entry: JsonObject, path: string, rules: MetadataRules): Diagnostic[] {
  const [plugin, type] = [textMember(entry, 'plugin'), textMember(entry, 'type')];
  if (plugin === null || type === null || rules.canonicalName(plugin) === rules.canonicalName(type)) return [];
  const message = `has no effect: \`plugin\` names ${plugin.slice(0, MAX_SHOWN)}`;
  return [info('setting.ignored', path, message, { reason: 'setting.other_plugin', name: plugin.slice(0, MAX_SHOWN) })];
}

function checkPlaceholder({ plugin, entry }: ToolEntry, path: string, rules: MetadataRules): Diagnostic[] {
  const placeholder = member(entry, 'placeholder');
  if (placeholder === undefined || placeholder === null || placeholder === '') return [];
  const type = rules.placeholderOf(plugin);
  if (typeof placeholder !== 'string') return [error('placeholder.invalid', path, 'must be a string', TYPE)];
  if (type === null)
    return [error('placeholder.invalid', path, 'this tool fills no placeholder', { reason: 'placeholder.none' })];
  if (placeholder === USER_INPUT) {
    return [error('placeholder.invalid', path, '`user_input` is the question itself', { reason: 'placeholder.taken' })];
  }
  if (type === undefined)
    return /[{}]/.test(placeholder)
      ? [error('placeholder.invalid', path, 'must not hold braces', { reason: 'placeholder.braces' })]
      : [];
  if (isPlaceholderFor(type, placeholder)) return [];
  const message = `must be \`${type}\` or a number and \`_${type}\`, such as \`1_${type}\``;
  return [error('placeholder.invalid', path, message, { reason: 'placeholder.form', type })];
}

function checkConfig(plugin: string, config: unknown, path: string, rules: MetadataRules): Diagnostic[] {
  if (rules.placeholderOf(plugin) === undefined) return [];
  const problems = rules.configProblems(plugin, config ?? {});
  return problems.map((problem) =>
    error('tool.config_invalid', joinPath(path, problem.path), problem.message, reasonOf(problem)),
  );
}

const isWhole = (value: unknown, least: number, most: number): boolean =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;

const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string');

interface OptionRule {
  readonly key: string;
  readonly accepts: (value: unknown) => boolean;
  readonly message: string;
  readonly values: DiagnosticValues;
}

const TYPE: DiagnosticValues = { reason: 'value.type' };
const range = (least: number, most: number): DiagnosticValues => ({ reason: 'value.range', least, most });

function keyOf({ key }: OptionRule): string {
  return key;
}

const oneOf = (key: string, choices: readonly string[]): OptionRule => ({
  key,
  accepts: (value) => choices.some((choice) => choice === value),
  message: `must be one of ${choices.join(', ')}`,
  values: { reason: 'value.enum' },
});

const OPTIONS: readonly OptionRule[] = [
  {
    key: 'label',
    accepts: (value) => typeof value === 'string' && [...value].length <= MAX_LABEL,
    message: `must be a text of at most ${MAX_LABEL} characters`,
    values: { reason: 'value.max_length', limit: MAX_LABEL },
  },
  { key: 'enabled', accepts: (value) => typeof value === 'boolean', message: 'must be a boolean', values: TYPE },
  { key: 'cache', accepts: (value) => typeof value === 'boolean', message: 'must be a boolean', values: TYPE },
  oneOf('on_error', ON_ERROR),
  oneOf('on_dependency_failure', ON_DEPENDENCY_FAILURE),
  {
    key: 'timeout_ms',
    accepts: (value) => isWhole(value, 1, MAX_TIMEOUT_MS),
    message: `must be a whole number of milliseconds from 1 to ${MAX_TIMEOUT_MS}`,
    values: range(1, MAX_TIMEOUT_MS),
  },
  {
    key: 'retries',
    accepts: (value) => isWhole(value, 0, MAX_RETRIES),
    message: `must be a whole number from 0 to ${MAX_RETRIES}`,
    values: range(0, MAX_RETRIES),
  },
  {
    key: 'example_questions',
    accepts: isTextList,
    message: 'must be a list of questions',
    values: TYPE,
  },
  {
    key: 'example_questions',
    accepts: (value) => !isTextList(value) || (value as string[]).length <= MAX_EXAMPLE_QUESTIONS,
    message: `must have at most ${MAX_EXAMPLE_QUESTIONS} questions`,
    values: { reason: 'value.max_items', limit: MAX_EXAMPLE_QUESTIONS },
  },
  {
    key: 'example_questions',
    accepts: (value) =>
      !isTextList(value) || (value as string[]).every(({ length }) => length <= MAX_EXAMPLE_QUESTION_CHARS),
    message: `must have questions of at most ${MAX_EXAMPLE_QUESTION_CHARS} characters`,
    values: { reason: 'value.max_length', limit: MAX_EXAMPLE_QUESTION_CHARS },
  },
  { key: 'depends_on', accepts: isTextList, message: 'must be a list of placeholders', values: TYPE },
  { key: 'fallback', accepts: isJsonObject, message: 'must be an object', values: TYPE },
];

const FALLBACK_OPTIONS: readonly OptionRule[] = [
  oneOf('condition', FALLBACK_CONDITIONS),
  {
    key: 'threshold',
    accepts: (value) => typeof value === 'number' && value >= 0 && value <= 1,
    message: 'must be a number from 0 to 1',
    values: range(0, 1),
  },
];

const AFTER_ANSWER: DiagnosticValues = { reason: 'fallback.after_answer' };

export const ENTRY_KEYS: readonly string[] = ['plugin', 'type', 'placeholder', 'config', 'when', ...OPTIONS.map(keyOf)];
const FALLBACK_KEYS: readonly string[] = ['plugin', 'config', ...FALLBACK_OPTIONS.map(keyOf)];

/** Reports unknown keys, which are mostly misspelt. */
function checkKeys(entry: JsonObject, base: string, known: readonly string[]): Diagnostic[] {
  return Object.keys(entry)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const closest = closestName(key, known);
      const hint = closest === null ? '' : `; did you mean \`${closest}\`?`;
      const shown = key.slice(0, MAX_SHOWN);
      const message = `\`${shown}\` is no key of a tool and has no effect${hint}`;
      return error('tool.unknown_key', `${base}.${shown}`, message, misspelt(shown, closest));
    });
}

function checkOptions(entry: JsonObject, base: string, rules: readonly OptionRule[] = OPTIONS): Diagnostic[] {
  return rules
    .filter(({ key, accepts }) => {
      const value = member(entry, key);
      return value !== undefined && value !== null && !accepts(value);
    })
    .map(({ key, message, values }) => error('tool.invalid', `${base}.${key}`, message, values));
}

function checkWhen(entry: JsonObject, path: string): Diagnostic[] {
  const when = member(entry, 'when') ?? null;
  if (when === null) return [];
  const { problems } = checkCondition(when);
  return problems.map((problem) =>
    error('condition.invalid', joinPath(path, problem.path), problem.message, reasonOf(problem)),
  );
}

function checkFallback(entry: JsonObject, path: string, rules: MetadataRules): Diagnostic[] {
  const fallback = member(entry, 'fallback');
  if (!isJsonObject(fallback)) return [];
  const plugin = textMember(fallback, 'plugin');
  const options = [...checkOptions(fallback, path, FALLBACK_OPTIONS), ...checkKeys(fallback, path, FALLBACK_KEYS)];
  if (plugin === null) {
    return [error('tool.invalid', `${path}.plugin`, 'is required', { reason: 'value.missing' }), ...options];
  }
  const config = member(fallback, 'config');
  return [
    ...checkPlugin(plugin, `${path}.plugin`, rules),
    ...checkConfig(plugin, config, `${path}.config`, rules),
    ...(rules.looksAtAnswer(plugin, objectMember(fallback, 'config'))
      ? [error('tool.invalid', path, 'must not be a tool that looks at the finished answer', AFTER_ANSWER)]
      : []),
    ...options,
  ];
}
