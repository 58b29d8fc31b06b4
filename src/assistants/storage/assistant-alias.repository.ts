import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { batches, type Transaction } from '../../infrastructure/database';
import { AssistantAliasEntity } from './assistant-alias.entity';

const BATCH = 1_000;

export type AssistantAlias = Pick<AssistantAliasEntity, 'source' | 'number' | 'assistantId'>;

/** Numbers that imported assistants have at their sources. */
@Injectable()
export class AssistantAliasRepository {
  constructor(private readonly dataSource: DataSource) {}

  exist(organizationId: string): Promise<boolean> {
    return this.dataSource.getRepository(AssistantAliasEntity).existsBy({ organizationId });
  }

  withNumbers(organizationId: string, numbers: readonly number[]): Promise<AssistantAlias[]> {
    return this.dataSource
      .getRepository(AssistantAliasEntity)
      .createQueryBuilder('alias')
      .where('alias.organization_id = :organizationId AND alias.number = ANY (:numbers)', { organizationId, numbers })
      .getMany();
  }

  async save(
    organizationId: string,
    source: string,
    ids: readonly (readonly [number: number, assistantId: number])[],
    tx: Transaction,
  ): Promise<void> {
    for (const batch of batches(ids, BATCH)) {
      await tx
        .getRepository(AssistantAliasEntity)
        .createQueryBuilder()
        .insert()
        .values(batch.map(([number, assistantId]) => ({ organizationId, source, number, assistantId })))
        .orUpdate(['assistant_id'], ['organization_id', 'source', 'number'])
        .execute();
    }
  }
}
