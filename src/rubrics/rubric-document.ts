import { invalid, isJsonObject, type JsonObject, type Principal } from '../kernel';
import { rubricJson, rubricMarkdown } from './rubric-markdown';
import { rubricProblems } from './rubric-validation';
import type { RubricEntity } from './rubric.entity';
import type { RubricDocument, RubricFormat, RubricView } from './rubric.types';

/** @throws {AppError} `validation_failed` */
export function checkedDocument(body: unknown): RubricDocument {
  const problems = rubricProblems(body);
  if (problems.length > 0) throw invalid(problems, 'This is not a valid rubric');
  return body as RubricDocument;
}

/**
 * A body without the `version` of an answer. A document may have one of its own, which answers hide behind the service's
 * count: a whole number is that count sent back, says nothing of the document, and leaves what `stored` has in its place.
 */
export function withoutCount(body: unknown, stored?: RubricDocument): unknown {
  if (!isJsonObject(body) || !Number.isInteger(body['version'])) return body;
  const own = (stored as JsonObject | undefined)?.['version'];
  if (own !== undefined) return { ...body, version: own };
  const { version: _, ...document } = body;
  return document;
}

/** What an export may wrap in `rubric` or `rubric_data`. */
export function unwrapped(body: unknown): unknown {
  if (!isJsonObject(body) || 'criteria' in body) return body;
  return [body['rubric'], body['rubric_data']].find((inner): inner is JsonObject => isJsonObject(inner)) ?? body;
}

export const rendered = (document: RubricDocument, format: RubricFormat, forEvaluation: boolean): string =>
  format === 'json' ? rubricJson(document, forEvaluation) : rubricMarkdown(document, forEvaluation);

/** As the API shows it to a user: the service's own members win over those of the document. */
export const viewOf = (row: RubricEntity, { userId }: Principal): RubricView => ({
  ...row.document,
  id: row.id,
  owner: row.ownerId,
  visibility: row.visibility,
  access: row.ownerId === userId ? 'owner' : 'read',
  origin_id: row.originId,
  version: row.version,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});
