import { Injectable } from '@nestjs/common';
import { type JsonObject, type Problem, uuidv7 } from '../kernel';
import type { Transaction } from '../platform/database';
import { RubricArrivalsRepository, type RubricValues } from './rubric-arrivals.repository';
import { rubricProblems } from './rubric-validation';
import type { RubricDocument, RubricVisibility } from './rubric.types';

/** A rubric that comes from elsewhere; its document has no problems. */
export interface ArrivingRubric {
  readonly ownerId: string;
  /** Ids that it had there. */
  readonly originId: number | null;
  readonly originKey: string | null;
  readonly visibility: RubricVisibility;
  readonly document: JsonObject;
}

const valuesOf = ({ document, ...rest }: ArrivingRubric): RubricValues => {
  const rubric = document as RubricDocument;
  return { ...rest, rubricKey: rubric.rubricId, title: rubric.title, document: rubric };
};

/** Rubrics that come with an organization from elsewhere, within a transaction of the caller, who writes the audit. */
@Injectable()
export class RubricArrivals {
  constructor(private readonly rubrics: RubricArrivalsRepository) {}

  problems(document: unknown): readonly Problem[] {
    return rubricProblems(document);
  }

  /** Those that are still here, by id. */
  async standing(
    organizationId: string,
    ids: readonly string[],
    tx: Transaction,
  ): Promise<ReadonlyMap<string, ArrivingRubric>> {
    const rows = await this.rubrics.find(organizationId, ids, tx);
    return new Map(
      rows.map(({ id, ownerId, originId, originKey, visibility, document }) => [
        id,
        { ownerId, originId, originKey, visibility, document },
      ]),
    );
  }

  /** Two of one owner with one `rubricId` would be the same rubric twice. */
  keyOf({ ownerId, document }: ArrivingRubric): string {
    return `${ownerId} ${String(document['rubricId'])}`;
  }

  async taken(organizationId: string, tx: Transaction): Promise<readonly { id: string; key: string }[]> {
    const rows = await this.rubrics.keys(organizationId, tx);
    return rows.map(({ id, ownerId, rubricKey }) => ({ id, key: `${ownerId} ${rubricKey}` }));
  }

  /** Returns their ids, in order. */
  async arrive(organizationId: string, rubrics: readonly ArrivingRubric[], tx: Transaction): Promise<string[]> {
    const rows = rubrics.map((rubric) => ({ id: uuidv7(), ...valuesOf(rubric) }));
    await this.rubrics.insert(organizationId, rows, tx);
    return rows.map(({ id }) => id);
  }

  change(organizationId: string, id: string, rubric: ArrivingRubric, tx: Transaction): Promise<void> {
    return this.rubrics.update(organizationId, id, valuesOf(rubric), tx);
  }
}
