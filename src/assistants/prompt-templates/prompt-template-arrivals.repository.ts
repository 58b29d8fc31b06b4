import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { Transaction } from '../../platform/database';
import { PromptTemplateEntity } from './prompt-template.entity';

const BATCH = 100;

/** A prompt template that comes from elsewhere. */
export type ArrivingPromptTemplate = Readonly<
  Pick<PromptTemplateEntity, 'ownerId' | 'type' | 'name' | 'description' | 'systemPrompt' | 'promptTemplate' | 'shared'>
>;

/** Prompt templates of a whole organization, whoever owns them. */
@Injectable()
export class PromptTemplateArrivalsRepository {
  find(organizationId: string, ids: readonly string[], tx: Transaction): Promise<PromptTemplateEntity[]> {
    return tx.getRepository(PromptTemplateEntity).findBy({ organizationId, id: In([...ids]) });
  }

  names(organizationId: string, tx: Transaction): Promise<Pick<PromptTemplateEntity, 'id' | 'ownerId' | 'name'>[]> {
    const select = { id: true, ownerId: true, name: true } as const;
    return tx.getRepository(PromptTemplateEntity).find({ where: { organizationId }, select });
  }

  async insert(
    organizationId: string,
    rows: readonly (ArrivingPromptTemplate & { id: string })[],
    tx: Transaction,
  ): Promise<void> {
    for (let start = 0; start < rows.length; start += BATCH) {
      const batch = rows.slice(start, start + BATCH).map((row) => ({ ...row, organizationId }));
      await tx.getRepository(PromptTemplateEntity).insert(batch);
    }
  }

  async update(organizationId: string, id: string, values: ArrivingPromptTemplate, tx: Transaction): Promise<void> {
    const changes = { ...values, version: () => 'version + 1' };
    await tx.getRepository(PromptTemplateEntity).update({ organizationId, id }, changes);
  }
}
