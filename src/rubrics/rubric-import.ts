import { Injectable } from '@nestjs/common';
import type { JsonObject, Problem } from '../kernel';
import { TableImport } from '../infrastructure/database';
import { rubricProblems } from './rubric-validation';
import { RubricEntity } from './rubric.entity';
import type { RubricDocument, RubricVisibility } from './rubric.types';

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
