import { Injectable } from '@nestjs/common';
import type { ImportRow, ImportScope, ImportTarget } from '../../infrastructure/database';
import { AssistantRepository } from '../storage/assistant.repository';

/** The shares of one assistant, by user id. */
export interface ImportedShares {
  readonly assistantId: number;
  readonly shares: readonly { readonly userId: string; readonly access: 'edit' | 'use' }[];
}

/** Imports the shares of assistants, one list for each assistant. */
@Injectable()
export class ShareImport implements ImportTarget<ImportedShares> {
  constructor(private readonly assistants: AssistantRepository) {}

  /** An emptied list counts as one change. */
  readonly weight = ({ shares }: ImportedShares): number => Math.max(1, shares.length);

  keyOf({ assistantId }: ImportedShares): string {
    return String(assistantId);
  }

  async keys({ organizationId, tx }: ImportScope): Promise<ReadonlyMap<string, string>> {
    const rows: { id: number }[] = await tx.query(
      'SELECT DISTINCT assistant_id AS id FROM assistant_shares WHERE organization_id = $1',
      [organizationId],
    );
    return new Map(rows.map(({ id }) => [String(id), String(id)]));
  }

  async find(
    { organizationId, tx }: ImportScope,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, ImportedShares>> {
    const lists = new Map(ids.map((id) => [id, [] as { userId: string; access: 'edit' | 'use' }[]]));
    const rows = await this.assistants.within(organizationId, tx).shares.people(ids.map(Number));
    for (const { assistantId, userId, access } of rows) lists.get(String(assistantId))?.push({ userId, access });
    return new Map(
      [...lists].map(([id, shares]) => {
        const sorted = shares.sort((a, b) => (a.userId < b.userId ? -1 : 1));
        return [id, { assistantId: Number(id), shares: sorted }];
      }),
    );
  }

  async insert(scope: ImportScope, rows: readonly ImportRow<ImportedShares>[]): Promise<void> {
    for (const row of rows) await this.update(scope, row);
  }

  async update({ organizationId, tx }: ImportScope, { value }: ImportRow<ImportedShares>): Promise<boolean> {
    await this.assistants.within(organizationId, tx).shares.replacePeople(value.assistantId, value.shares);
    return true;
  }
}
