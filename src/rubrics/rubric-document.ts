import { invalid, isJsonObject, type JsonObject, type Principal } from '../kernel';
import { rubricJson, rubricMarkdown } from './rubric-markdown';
import { rubricProblems } from './rubric-validation';
import type { RubricEntity } from './rubric.entity';
import type { RubricDocument, RubricFormat } from './rubric.types';

/** @throws {AppError} `validation_failed` */
export function checkedDocument(body: unknown): RubricDocument {
  const problems = rubricProblems(body);
  if (problems.length > 0) throw invalid(problems, 'This is not a valid rubric');
  return body as RubricDocument;
}

/**
 * Restores the document's own `version`, which answers replace by the version of the resource. An integer in a body is that
 * resource version sent back, so the `version` of `stored` takes its place.
 */
export function withOwnVersion(body: unknown, stored?: RubricDocument): unknown {
  if (!isJsonObject(body) || !Number.isInteger(body['version'])) return body;
  const own = (stored as JsonObject | undefined)?.['version'];
  if (own !== undefined) return { ...body, version: own };
  const { version: _, ...document } = body;
  return document;
}

/** An export may wrap the document in `rubric` or `rubric_data`. */
export function unwrapped(body: unknown): unknown {
  if (!isJsonObject(body) || 'criteria' in body) return body;
  return [body['rubric'], body['rubric_data']].find((inner): inner is JsonObject => isJsonObject(inner)) ?? body;
}

export const rendered = (document: RubricDocument, format: RubricFormat, forEvaluation: boolean): string =>
  format === 'json' ? rubricJson(document, forEvaluation) : rubricMarkdown(document, forEvaluation);

/** A rubric as the API shows it. The service's members override those of the document. */
export type RubricView = ReturnType<typeof viewOf>;

export const viewOf = (row: RubricEntity, { userId }: Principal) => ({
  ...row.document,
  id: row.id,
  owner: row.ownerId,
  visibility: row.visibility,
  access: row.ownerId === userId ? ('owner' as const) : ('read' as const),
  origin_id: row.originId,
  version: row.version,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});
