import { isJsonObject, type JsonObject } from '../../../kernel';
import { member } from '../metadata/parse-metadata';
import { readToolEntries } from '../metadata/tool-entries';
import { MAX_SUGGESTED_QUESTION_CHARS, MAX_SUGGESTED_QUESTIONS } from '../metadata/suggested-questions';
import { isMetadataVersion } from '../metadata/version';
import { type Diagnostic, error } from './diagnostic.types';

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
