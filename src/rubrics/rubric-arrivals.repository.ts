import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { Transaction } from '../platform/database';
import { RubricEntity } from './rubric.entity';

const BATCH = 100;

export type RubricValues = Pick<
  RubricEntity,
  'ownerId' | 'rubricKey' | 'originId' | 'originKey' | 'title' | 'visibility' | 'document'
>;

/** Rubrics of a whole organization, whoever owns them. */
@Injectable()
export class RubricArrivalsRepository {
  find(organizationId: string, ids: readonly string[], tx: Transaction): Promise<RubricEntity[]> {
    return tx.getRepository(RubricEntity).findBy({ organizationId, id: In([...ids]) });
  }

  /** What tells rubrics apart for people, with the ids of those that are here. */
  keys(organizationId: string, tx: Transaction): Promise<Pick<RubricEntity, 'id' | 'ownerId' | 'rubricKey'>[]> {
    const select = { id: true, ownerId: true, rubricKey: true } as const;
    return tx.getRepository(RubricEntity).find({ where: { organizationId }, select });
  }

  async insert(
    organizationId: string,
    rows: readonly (RubricValues & { id: string })[],
    tx: Transaction,
  ): Promise<void> {
    const rubrics = tx.getRepository(RubricEntity);
    for (let start = 0; start < rows.length; start += BATCH) {
      const batch = rows.slice(start, start + BATCH).map((row) => ({ ...row, organizationId }));
      await rubrics
        .createQueryBuilder()
        .insert()
        .values(batch as object[])
        .execute();
    }
  }

  async update(organizationId: string, id: string, values: RubricValues, tx: Transaction): Promise<void> {
    const rubrics = tx.getRepository(RubricEntity);
    await rubrics
      .createQueryBuilder()
      .update()
      .set({ ...values, version: () => 'version + 1' } as object)
      .where({ organizationId, id })
      .execute();
  }
}
