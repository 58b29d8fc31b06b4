import { Injectable } from '@nestjs/common';
import { isJsonObject, type Problem } from '../../kernel';
import type { Transaction } from '../../platform/database';
import { definitionOf, metadataProblems } from '../definition';
import { assistantType, parseMetadata } from '../metadata';
import type { Definition } from '../storage/assistant.repository';
import { AssistantArrivalsRepository, type NewAssistantRow } from './assistant-arrivals.repository';

/** An assistant that comes from elsewhere, its texts to the letter. */
export type ArrivingAssistant = Omit<Definition, 'type'> & { readonly ownerId: string; readonly published: boolean };

/** With the times of its birth and its last change there. */
export interface DatedAssistant {
  readonly assistant: ArrivingAssistant;
  readonly createdAt: Date | null;
  readonly updatedAt: Date | null;
}

export interface ArrivingShare {
  readonly userId: string;
  readonly access: 'edit' | 'use';
}

function splitOf({
  ownerId,
  published,
  ...texts
}: ArrivingAssistant): Omit<NewAssistantRow, 'id' | 'createdAt' | 'updatedAt'> {
  const parsed = parseMetadata(texts.metadata);
  const type = parsed.ok ? assistantType(parsed.metadata) : 'classic';
  return { ownerId, published, definition: { type, ...texts } };
}

/**
 * Assistants that come with an organization from elsewhere, within a transaction of the caller, who writes the audit and
 * announces the organization's change after the commit. Definitions are not judged: what ran there is kept as it is.
 */
@Injectable()
export class AssistantArrivals {
  constructor(private readonly assistants: AssistantArrivalsRepository) {}

  /** What stands in the way of storing a metadata text at all; one that is no JSON does not. */
  problems(metadata: string): readonly Problem[] {
    const parsed = parseMetadata(metadata);
    return parsed.ok ? metadataProblems(metadata) : [];
  }

  /** Whether the text can be read as metadata; it counts as empty where it cannot. */
  readable(metadata: string): boolean {
    const parsed = parseMetadata(metadata);
    return parsed.ok && isJsonObject(parsed.metadata);
  }

  /** Ids for as many newcomers, so that they can name each other before they are written. */
  reserve(count: number, tx: Transaction): Promise<number[]> {
    return this.assistants.reserve(count, tx);
  }

  /** Those that are still here, by id. */
  async standing(
    organizationId: string,
    ids: readonly number[],
    tx: Transaction,
  ): Promise<ReadonlyMap<number, ArrivingAssistant>> {
    const rows = await this.assistants.find(organizationId, ids, tx);
    return new Map(
      rows.map((row) => {
        const { type: _type, ...texts } = definitionOf(row);
        return [row.id, { ...texts, ownerId: row.ownerId, published: row.published }];
      }),
    );
  }

  keyOf({ ownerId, name }: Pick<ArrivingAssistant, 'ownerId' | 'name'>): string {
    return `${ownerId} ${name}`;
  }

  async taken(organizationId: string, tx: Transaction): Promise<readonly { id: number; key: string }[]> {
    const rows = await this.assistants.names(organizationId, tx);
    return rows.map((row) => ({ id: row.id, key: this.keyOf(row) }));
  }

  /** Under reserved ids. */
  async arrive(
    organizationId: string,
    arrivals: readonly (DatedAssistant & { readonly id: number })[],
    tx: Transaction,
  ): Promise<void> {
    const now = new Date();
    const rows = arrivals.map(({ id, assistant, createdAt, updatedAt }) => ({
      id,
      ...splitOf(assistant),
      createdAt: createdAt ?? updatedAt ?? now,
      updatedAt: updatedAt ?? createdAt ?? now,
    }));
    await this.assistants.insert(organizationId, rows, tx);
  }

  /** Writes the next version. False when it is gone. */
  change(organizationId: string, id: number, assistant: ArrivingAssistant, tx: Transaction): Promise<boolean> {
    return this.assistants.rewrite(organizationId, { id, ...splitOf(assistant) }, tx);
  }

  /** By assistant, in the order of users' ids. */
  async shares(
    organizationId: string,
    ids: readonly number[],
    tx: Transaction,
  ): Promise<ReadonlyMap<number, readonly ArrivingShare[]>> {
    const shares = new Map<number, ArrivingShare[]>(ids.map((id) => [id, []]));
    for (const { assistantId, userId, access } of await this.assistants.shares(organizationId, ids, tx)) {
      shares.get(assistantId)?.push({ userId, access });
    }
    for (const list of shares.values()) list.sort((a, b) => (a.userId < b.userId ? -1 : 1));
    return shares;
  }

  /** For assistants that are shared with nobody yet. */
  shareNewly(
    organizationId: string,
    shares: readonly (ArrivingShare & { readonly assistantId: number })[],
    tx: Transaction,
  ): Promise<void> {
    return this.assistants.insertShares(organizationId, shares, tx);
  }

  share(organizationId: string, id: number, shares: readonly ArrivingShare[], tx: Transaction): Promise<void> {
    return this.assistants.replaceShares(organizationId, id, shares, tx);
  }
}
