import type { ArrivingCollection } from '../../knowledge-bases';
import type { ArrivingPromptTemplate } from '../../assistants';
import type { JsonObject, Problem } from '../../kernel';
import type { ArrivingRubric } from '../../rubrics';
import { cleanLabel, isStorableText, storageProblem } from '../reading/storable';
import type { LambCollection, LambPromptTemplate, LambRubric } from '../source/lamb-source.types';
import type { Owners } from './owners';
import type { Arrival } from './reconcile';
import type { About, Tally } from './tally';

const LONGEST_NAME = 200;
const LONGEST_COLLECTION_ID = 200;
const INT4_MAX = 2_147_483_647;

/** The document, with what only the row says filled in. */
function rubricDocument(row: LambRubric): JsonObject {
  const { document } = row;
  const filled = { rubricId: row.rubricId, title: row.title, description: row.description };
  const missing = Object.entries(filled).filter(([key]) => document?.[key] === undefined);
  return { ...document, ...Object.fromEntries(missing) };
}

const listed = (problems: readonly Problem[]): string =>
  problems
    .slice(0, 5)
    .map(({ path, message }) => `${path} ${message}`.trim())
    .join('; ');

export function planRubrics(
  rows: readonly LambRubric[],
  owners: Owners,
  problemsOf: (document: JsonObject) => readonly Problem[],
  tally: Tally,
): Arrival<ArrivingRubric>[] {
  return rows.flatMap((row): Arrival<ArrivingRubric>[] => {
    const name = cleanLabel(row.title, LONGEST_NAME);
    const about: About = { kind: 'rubric', origin: row.id, name };
    const document = rubricDocument(row);
    const refusal =
      row.document === null
        ? 'its document cannot be read'
        : (storageProblem(document) ?? listed(problemsOf(document)));
    if (refusal !== '') {
      tally.leave(about, 'rubric.invalid', refusal);
      return [];
    }
    const ownerId = owners.of(row.ownerEmail, about, tally);
    if (ownerId === null) return [];
    const visibility = row.isPublic ? ('organization' as const) : ('private' as const);
    const originId = row.id <= INT4_MAX ? row.id : null;
    const originKey = isStorableText(row.rubricId) && row.rubricId !== '' ? row.rubricId.toLowerCase() : null;
    return [{ origin: String(row.id), name, value: { ownerId, originId, originKey, visibility, document } }];
  });
}

export function planPromptTemplates(
  rows: readonly LambPromptTemplate[],
  owners: Owners,
  tally: Tally,
): Arrival<ArrivingPromptTemplate>[] {
  return rows.flatMap((row): Arrival<ArrivingPromptTemplate>[] => {
    const name = cleanLabel(row.name, LONGEST_NAME) || `Template ${row.id}`;
    const about: About = { kind: 'prompt_template', origin: row.id, name };
    const { description, systemPrompt, promptTemplate, isShared: shared } = row;
    if (![description, systemPrompt, promptTemplate].every(isStorableText)) {
      tally.leave(about, 'template.unstorable', 'holds a NUL character or half of a surrogate pair');
      return [];
    }
    const ownerId = owners.of(row.ownerEmail, about, tally);
    if (ownerId === null) return [];
    const value = { ownerId, type: 'classic' as const, name, description, systemPrompt, promptTemplate, shared };
    return [{ origin: String(row.id), name, value }];
  });
}

export function planCollections(
  rows: readonly LambCollection[],
  owners: Owners,
  tally: Tally,
): Arrival<ArrivingCollection>[] {
  const unique = new Map(rows.map((row) => [row.collectionId.trim(), row]));
  return [...unique].flatMap(([collectionId, row]): Arrival<ArrivingCollection>[] => {
    const name = cleanLabel(row.name, LONGEST_NAME) || collectionId;
    const about: About = { kind: 'collection', origin: collectionId.slice(0, LONGEST_COLLECTION_ID), name };
    if (collectionId === '' || collectionId.length > LONGEST_COLLECTION_ID || !isStorableText(collectionId)) {
      tally.leave(about, 'collection.id', 'has no id that can be kept');
      return [];
    }
    const ownerId = owners.ofUser(row.ownerUserId, about, tally);
    if (ownerId === null) return [];
    return [{ origin: collectionId, name, value: { collectionId, ownerId, name, shared: row.isShared } }];
  });
}
