import {
  type JsonObject,
  type Problem,
  cleanName,
  isJsonObject,
  isStorableText,
  storageProblem,
} from '@bellwether/kernel';
import {
  type LambAssistant,
  type LambCollection,
  type LambPromptTemplate,
  type LambRubric,
  valueAt,
} from '@bellwether/lamb-reader';
import type { AssistantImport } from '../../../src/assistants';
import type { ImportedPromptTemplate } from '../../../src/assistants/prompt-templates';
import type { ImportedCollection } from '../../../src/knowledge-bases';
import type { ImportedRubric, RubricImport } from '../../../src/rubrics';
import { filePaths } from '../metadata-references';
import { cleanLabel } from '../organization-settings';
import type { ItemRef } from '../report-builder';
import type { Owners } from './owners';
import type { ImportContext, PlannedAssistant, SourceItem } from './plan.types';

/** Strings (up to the end of the text where one is not closed), words that are no JSON, and long integers. */
const PARTS = /"(?:[^"\\]|\\[^])*"?|-?\b(?:NaN|Infinity)\b|-?\b\d{16,}\b(?![.eE])/g;
/** A whole surrogate pair, half of one, or another escape. */
const ESCAPES = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\[^]/g;
const HALF_PAIR_LENGTH = '\\ud83d'.length;

const withoutHalves = (text: string): string =>
  text.replace(ESCAPES, (found) => (/^\\u/.test(found) && found.length === HALF_PAIR_LENGTH ? '\\ufffd' : found));

/**
 * Metadata as JSON allows it. Python also writes and reads NaN, Infinity and half surrogate pairs, and integers of any
 * length, which keep their digits in the text and are rounded when it is read. `changes` says what was found.
 */
export function withoutPythonJson(json: string): { readonly text: string; readonly changes: readonly string[] } {
  if (!/NaN|Infinity|\\u[dD]|\d{16}/.test(json)) return { text: json, changes: [] };
  const changes = new Set<string>();
  const text = json.replace(PARTS, (found) => {
    if (found.startsWith('"')) {
      const whole = withoutHalves(found);
      if (whole !== found) changes.add('half of a surrogate pair, which became U+FFFD');
      return whole;
    }
    if (!/^-?\d/.test(found)) {
      changes.add(`${found}, which became null`);
      return 'null';
    }
    if (!Number.isSafeInteger(Number(found))) changes.add(`the number ${found.slice(0, 40)}, which is rounded`);
    return found;
  });
  return { text, changes: [...changes] };
}

const DEFAULT_TOP_K = 3;
const TOP_K = { lowest: 1, highest: 20 } as const;

type MetadataChecks = Pick<AssistantImport, 'problems' | 'isReadable' | 'templateOf'>;

function unstorable(row: LambAssistant, checks: MetadataChecks): string | null {
  if (row.unreadable !== null) return row.unreadable;
  const texts = [row.description, row.systemPrompt, row.promptTemplate, row.metadata, row.ragCollections];
  if (!texts.every(isStorableText)) return 'holds a NUL character or half of a surrogate pair';
  const [problem] = checks.problems(row.metadata);
  return problem === undefined ? null : `${problem.path} ${problem.message}`;
}

function topKOf({ ragTopK }: LambAssistant, item: ItemRef, { report }: ImportContext): number {
  if (ragTopK === null) return DEFAULT_TOP_K;
  const clamped = Math.min(TOP_K.highest, Math.max(TOP_K.lowest, Math.trunc(ragTopK)));
  if (clamped !== ragTopK) report.note(item, 'top_k.clamped', `RAG_Top_k ${ragTopK} became ${clamped}`);
  return clamped;
}

/** `seconds` since 1970; null when absent or out of range. */
function dateOf(seconds: number | null): Date | null {
  const date = seconds !== null && seconds > 0 ? new Date(seconds * 1000) : null;
  return date === null || Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 ? null : date;
}

function planOne(
  stored: LambAssistant,
  owners: Owners,
  checks: MetadataChecks,
  context: ImportContext,
): PlannedAssistant | null {
  const { report } = context;
  const { text, changes } = withoutPythonJson(stored.metadata);
  const row = { ...stored, metadata: text };
  const name = cleanLabel(row.name) || `Assistant ${row.id}`;
  const item: ItemRef = { kind: 'assistant', origin: row.id, name };
  if (row.deleted) {
    report.leaveOut(item, 'assistant.deleted', 'was deleted in LAMB');
    return null;
  }
  const refusal = unstorable(row, checks);
  if (refusal !== null) {
    const place = `belongs to ${row.ownerEmail.trim() || 'nobody'}${row.published ? ', is published' : ''}`;
    report.leaveOut(item, 'assistant.unstorable', `${refusal}; it ${place}`);
    return null;
  }
  const ownerId = owners.of(row.ownerEmail, item);
  if (ownerId === null) return null;
  if (!checks.isReadable(row.metadata)) {
    report.note(item, 'metadata.unreadable', 'its metadata is not a JSON object; it was kept and counts as empty');
  }
  if (changes.length > 0) {
    report.note(item, 'metadata.python', `its metadata holds ${changes.join(', and ')}`);
  }
  if (name !== row.name) {
    report.note(item, 'name.changed', 'its name was empty, too long, or held characters that cannot be stored');
  }
  const { id, description, systemPrompt, promptTemplate, metadata, ragCollections, published } = row;
  const ragTopK = topKOf(row, item, context);
  const texts = { name, description, systemPrompt, promptTemplate, metadata, ragCollections, ragTopK };
  return {
    id,
    origin: String(id),
    name,
    createdAt: dateOf(row.createdAt),
    updatedAt: dateOf(row.updatedAt),
    files: filePaths(metadata),
    formerOwnerId: owners.memberByAddress(row.ownerEmail),
    value: { ownerId, ...texts, promptTemplate: checks.templateOf(texts), published },
  };
}

export const planAssistants = (
  rows: readonly LambAssistant[],
  owners: Owners,
  checks: MetadataChecks,
  context: ImportContext,
): PlannedAssistant[] => rows.flatMap((row) => planOne(row, owners, checks, context) ?? []);

const numberIn = (value: unknown, key: string): number => {
  const found = valueAt(value, key);
  return typeof found === 'number' ? found : 0;
};

const listIn = (value: unknown, key: string): readonly unknown[] => {
  const found = valueAt(value, key);
  return Array.isArray(found) ? found : [];
};

/**
 * Why a valid rubric gives other marks here than in LAMB, or null. LAMB scales all criteria by the best score of the first
 * one and reads weights as percentages. Here each criterion has its own best score, and weights are relative to their sum.
 */
export function markDifference(document: JsonObject): string | null {
  const criteria = listIn(document, 'criteria');
  const best = criteria.map((criterion) =>
    Math.max(...listIn(criterion, 'levels').map((level) => numberIn(level, 'score'))),
  );
  const sum = criteria.reduce<number>((total, criterion) => total + numberIn(criterion, 'weight'), 0);
  const reasons = [
    ...(best.some((score) => score !== best[0]) ? ['its criteria have different best scores'] : []),
    ...(Math.abs(sum - 100) > 0.01 ? [`its weights sum to ${Math.round(sum * 100) / 100}, not to 100`] : []),
  ];
  return reasons.length === 0 ? null : reasons.join(' and ');
}

const LONGEST_COLLECTION_ID = 200;
const INT4_MAX = 2_147_483_647;

const withCleanName = (object: JsonObject, key: string): JsonObject => {
  const name = object[key];
  return typeof name === 'string' ? { ...object, [key]: cleanName(name) } : object;
};

/** The document with values that only the row has, and with names that can be stored here. */
function rubricDocument({ document, rubricId, title, description }: LambRubric): JsonObject {
  const missing = Object.entries({ rubricId, title, description }).filter(([key]) => document?.[key] === undefined);
  const whole: JsonObject = { ...document, ...Object.fromEntries(missing) };
  const { criteria } = whole;
  if (!Array.isArray(criteria)) return withCleanName(whole, 'title');
  const named = (criteria as unknown[]).map((item) => (isJsonObject(item) ? withCleanName(item, 'name') : item));
  return withCleanName({ ...whole, criteria: named }, 'title');
}

const listed = (problems: readonly Problem[]): string =>
  problems
    .slice(0, 5)
    .map(({ path, message }) => `${path} ${message}`.trim())
    .join('; ');

export function planRubrics(
  rows: readonly LambRubric[],
  owners: Owners,
  rubrics: RubricImport,
  { report }: ImportContext,
): SourceItem<ImportedRubric>[] {
  return rows.flatMap((row): SourceItem<ImportedRubric>[] => {
    const name = cleanLabel(row.title);
    const item: ItemRef = { kind: 'rubric', origin: row.id, name };
    const document = rubricDocument(row);
    const refusal =
      row.document === null
        ? 'its document cannot be read'
        : (storageProblem(document) ?? listed(rubrics.problems(document)));
    if (refusal !== '') {
      report.leaveOut(item, 'rubric.invalid', refusal);
      return [];
    }
    const ownerId = owners.of(row.ownerEmail, item);
    if (ownerId === null) return [];
    const difference = markDifference(document);
    if (difference !== null) report.note(item, 'rubric.other_marks', `gives other marks than in LAMB: ${difference}`);
    const visibility = row.isPublic ? ('organization' as const) : ('private' as const);
    const originId = row.id <= INT4_MAX ? row.id : null;
    const originKey = isStorableText(row.rubricId) && row.rubricId !== '' ? row.rubricId.toLowerCase() : null;
    return [{ origin: String(row.id), name, value: { ownerId, originId, originKey, visibility, document } }];
  });
}

export function planPromptTemplates(
  rows: readonly LambPromptTemplate[],
  owners: Owners,
  { report }: ImportContext,
): SourceItem<ImportedPromptTemplate>[] {
  return rows.flatMap((row): SourceItem<ImportedPromptTemplate>[] => {
    const name = cleanLabel(row.name) || `Template ${row.id}`;
    const item: ItemRef = { kind: 'prompt_template', origin: row.id, name };
    const { description, systemPrompt, promptTemplate, isShared: shared } = row;
    const isStorable = [description, systemPrompt, promptTemplate].every(isStorableText);
    const refusal = row.unreadable ?? (isStorable ? null : 'holds a NUL character or half of a surrogate pair');
    if (refusal !== null) {
      report.leaveOut(item, 'template.unstorable', refusal);
      return [];
    }
    const ownerId = owners.of(row.ownerEmail, item);
    if (ownerId === null) return [];
    const value = { ownerId, type: 'classic' as const, name, description, systemPrompt, promptTemplate, shared };
    return [{ origin: String(row.id), name, value }];
  });
}

export function planCollections(
  rows: readonly LambCollection[],
  owners: Owners,
  { report }: ImportContext,
): SourceItem<ImportedCollection>[] {
  const unique = new Map(rows.map((row) => [row.collectionId.trim(), row]));
  return [...unique].flatMap(([collectionId, row]): SourceItem<ImportedCollection>[] => {
    const name = cleanLabel(row.name) || collectionId;
    const item: ItemRef = { kind: 'collection', origin: collectionId.slice(0, LONGEST_COLLECTION_ID), name };
    if (collectionId === '' || collectionId.length > LONGEST_COLLECTION_ID || !isStorableText(collectionId)) {
      report.leaveOut(item, 'collection.id', 'has no valid id');
      return [];
    }
    const ownerId = owners.ofUser(row.ownerUserId, item);
    if (ownerId === null) return [];
    return [{ origin: collectionId, name, value: { collectionId, ownerId, name, shared: row.isShared } }];
  });
}
