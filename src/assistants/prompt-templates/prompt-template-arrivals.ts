import { Injectable } from '@nestjs/common';
import { uuidv7 } from '../../kernel';
import type { Transaction } from '../../platform/database';
import { type ArrivingPromptTemplate, PromptTemplateArrivalsRepository } from './prompt-template-arrivals.repository';

/** Prompt templates that come with an organization from elsewhere, within a transaction of the caller. */
@Injectable()
export class PromptTemplateArrivals {
  constructor(private readonly templates: PromptTemplateArrivalsRepository) {}

  /** Those that are still here, by id. */
  async standing(
    organizationId: string,
    ids: readonly string[],
    tx: Transaction,
  ): Promise<ReadonlyMap<string, ArrivingPromptTemplate>> {
    const rows = await this.templates.find(organizationId, ids, tx);
    return new Map(
      rows.map(({ id, ownerId, type, name, description, systemPrompt, promptTemplate, shared }) => [
        id,
        { ownerId, type, name, description, systemPrompt, promptTemplate, shared },
      ]),
    );
  }

  keyOf({ ownerId, name }: Pick<ArrivingPromptTemplate, 'ownerId' | 'name'>): string {
    return `${ownerId} ${name}`;
  }

  async taken(organizationId: string, tx: Transaction): Promise<readonly { id: string; key: string }[]> {
    const rows = await this.templates.names(organizationId, tx);
    return rows.map((row) => ({ id: row.id, key: this.keyOf(row) }));
  }

  /** Returns their ids, in order. */
  async arrive(
    organizationId: string,
    templates: readonly ArrivingPromptTemplate[],
    tx: Transaction,
  ): Promise<string[]> {
    const rows = templates.map((template) => ({ id: uuidv7(), ...template }));
    await this.templates.insert(organizationId, rows, tx);
    return rows.map(({ id }) => id);
  }

  change(organizationId: string, id: string, template: ArrivingPromptTemplate, tx: Transaction): Promise<void> {
    return this.templates.update(organizationId, id, template, tx);
  }
}
