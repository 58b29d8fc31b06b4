import type { ImportedPromptTemplate } from '../../../src/assistants/prompt-templates';
import {
  cleanName,
  isJsonObject,
  isStorableText,
  type JsonObject,
  type Problem,
  storageProblem,
} from '../../../src/kernel';
import type { ImportedCollection } from '../../../src/knowledge-bases';
import type { ImportedRubric, RubricImport } from '../../../src/rubrics';
import { cleanLabel } from '../convert/clean-label';
import { markDifference } from '../convert/rubric-marks';
import type { ItemRef } from '../report/report-builder';
import type { LambCollection, LambPromptTemplate, LambRubric } from '../source/lamb-source.types';
import type { ImportContext } from './import-context.types';
import type { Owners } from './owners';
import type { SourceItem } from './plan.types';

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
