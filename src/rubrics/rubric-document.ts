import { type JsonObject, type Principal, type Problem, invalid, isJsonObject } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { TableImport } from '../infrastructure/database';
import { rubricJson, rubricMarkdown } from './rubric-markdown';
import { rubricProblems } from './rubric-validation';
import { RubricEntity } from './rubric.entity';
import type { RubricDocument, RubricFormat, RubricVisibility } from './rubric.types';

/** A valid rubric of another installation. */
export interface ImportedRubric {
  readonly ownerId: string;
  /** Its ids there, which assistants refer to. */
  readonly originId: number | null;
  readonly originKey: string | null;
  readonly visibility: RubricVisibility;
  readonly document: JsonObject;
}

/** Imports rubrics. One owner cannot have two with the same `rubricId`. */
@Injectable()
export class RubricImport extends TableImport<RubricEntity, ImportedRubric> {
  constructor() {
    super({
      entity: RubricEntity,
      idColumn: 'id',
      keyColumns: ['ownerId', 'rubricKey'],
      isVersioned: true,
      toRow: ({ document, ...rest }) => {
        const rubric = document as RubricDocument;
        return { ...rest, rubricKey: rubric.rubricId, title: rubric.title, document: rubric };
      },
      toValue: ({ ownerId, originId, originKey, visibility, document }) => ({
        ownerId,
        originId,
        originKey,
        visibility,
        document,
      }),
    });
  }

  problems(document: unknown): readonly Problem[] {
    return rubricProblems(document);
  }
}

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
