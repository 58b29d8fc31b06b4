import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import type { Transaction } from '../../platform/database';
import { AssistantShareEntity } from '../storage/assistant-share.entity';
import { AssistantVersionEntity } from '../storage/assistant-version.entity';
import { AssistantEntity } from '../storage/assistant.entity';
import type { Definition } from '../storage/assistant.repository';

/** Rows of one statement; each has some forty parameters' worth of text at most. */
const BATCH = 100;
const SHARES = 1_000;

export interface NewAssistantRow {
  readonly id: number;
  readonly ownerId: string;
  readonly definition: Definition;
  readonly published: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Assistants of a whole organization, many at once. */
@Injectable()
export class AssistantArrivalsRepository {
  /** Ids that nobody else will get. */
  async reserve(count: number, tx: Transaction): Promise<number[]> {
    const rows: { id: string }[] = await tx.query(
      `SELECT nextval(pg_get_serial_sequence('assistants', 'id')) AS id FROM generate_series(1, $1)`,
      [count],
    );
    return rows.map(({ id }) => Number(id));
  }

  find(organizationId: string, ids: readonly number[], tx: Transaction): Promise<AssistantEntity[]> {
    return tx.getRepository(AssistantEntity).findBy({ organizationId, id: In([...ids]), deletedAt: IsNull() });
  }

  names(organizationId: string, tx: Transaction): Promise<Pick<AssistantEntity, 'id' | 'ownerId' | 'name'>[]> {
    const select = { id: true, ownerId: true, name: true } as const;
    return tx.getRepository(AssistantEntity).find({ where: { organizationId, deletedAt: IsNull() }, select });
  }

  async insert(organizationId: string, rows: readonly NewAssistantRow[], tx: Transaction): Promise<void> {
    for (let start = 0; start < rows.length; start += BATCH) {
      const batch = rows.slice(start, start + BATCH);
      await tx
        .getRepository(AssistantEntity)
        .insert(batch.map(({ definition, ...row }) => ({ ...row, ...definition, organizationId, version: 1 })));
      await this.keepVersions(
        organizationId,
        batch.map(({ id, definition }) => ({ id, version: 1, definition })),
        tx,
      );
    }
  }

  /** The next version; false when it is gone. */
  async rewrite(
    organizationId: string,
    { id, definition, ...rest }: Pick<NewAssistantRow, 'id' | 'ownerId' | 'definition' | 'published'>,
    tx: Transaction,
  ): Promise<boolean> {
    const assistants = tx.getRepository(AssistantEntity);
    const row = await assistants.findOne({
      where: { organizationId, id, deletedAt: IsNull() },
      lock: { mode: 'pessimistic_write' },
    });
    if (row === null) return false;
    const version = row.version + 1;
    const published = rest.published ? {} : { publishedToAll: false };
    await assistants.update({ organizationId, id }, { ...definition, ...rest, ...published, version });
    await this.keepVersions(organizationId, [{ id, version, definition }], tx);
    return true;
  }

  shares(organizationId: string, ids: readonly number[], tx: Transaction): Promise<AssistantShareEntity[]> {
    return tx.getRepository(AssistantShareEntity).findBy({ organizationId, assistantId: In([...ids]) });
  }

  async insertShares(
    organizationId: string,
    shares: readonly Pick<AssistantShareEntity, 'assistantId' | 'userId' | 'access'>[],
    tx: Transaction,
  ): Promise<void> {
    for (let start = 0; start < shares.length; start += SHARES) {
      const batch = shares.slice(start, start + SHARES).map((share) => ({ ...share, organizationId }));
      await tx.getRepository(AssistantShareEntity).insert(batch);
    }
  }

  async replaceShares(
    organizationId: string,
    assistantId: number,
    shares: readonly Pick<AssistantShareEntity, 'userId' | 'access'>[],
    tx: Transaction,
  ): Promise<void> {
    const sharing = tx.getRepository(AssistantShareEntity);
    await sharing.delete({ organizationId, assistantId });
    if (shares.length > 0) await sharing.insert(shares.map((share) => ({ ...share, organizationId, assistantId })));
  }

  private async keepVersions(
    organizationId: string,
    versions: readonly { id: number; version: number; definition: Definition }[],
    tx: Transaction,
  ): Promise<void> {
    await tx.getRepository(AssistantVersionEntity).insert(
      versions.map(({ id, version, definition }) => ({
        ...definition,
        assistantId: id,
        version,
        organizationId,
        authorId: null,
        reason: 'import' as const,
      })),
    );
  }
}
