import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull } from 'typeorm';
import type { Transaction } from '../../platform/database';
import { AssistantEntity } from './assistant.entity';
import { AssistantScope } from './assistant-scope.repository';
import { AssistantShareEntity } from './assistant-share.entity';
import { AssistantVersionEntity } from './assistant-version.entity';

export interface CallRows {
  readonly rows: readonly AssistantEntity[];
  readonly shares: readonly AssistantShareEntity[];
}

@Injectable()
export class AssistantRepository {
  constructor(private readonly dataSource: DataSource) {}

  within(organizationId: string, tx?: Transaction): AssistantScope {
    const manager = tx ?? this.dataSource.manager;
    return new AssistantScope(
      organizationId,
      manager.getRepository(AssistantEntity),
      manager.getRepository(AssistantVersionEntity),
      manager.getRepository(AssistantShareEntity),
    );
  }

  /**
   * Rows of any organization, deleted ones included, and their shares with `userIds`. Only for decisions about calls,
   * which check the organizations themselves.
   */
  async forCall(ids: readonly number[], userIds: readonly string[]): Promise<CallRows> {
    const { manager } = this.dataSource;
    const [rows, shares] = await Promise.all([
      manager.getRepository(AssistantEntity).findBy({ id: In([...ids]) }),
      manager.getRepository(AssistantShareEntity).findBy({ assistantId: In([...ids]), userId: In([...userIds]) }),
    ]);
    const organizations = new Map(rows.map(({ id, organizationId }) => [id, organizationId]));
    // A share counts in the organization of its assistant only.
    const own = shares.filter((share) => organizations.get(share.assistantId) === share.organizationId);
    return { rows, shares: own };
  }

  /** Assistants of all organizations, by id, before the consent of organizations is checked. */
  publishedToAll(id?: number): Promise<AssistantEntity[]> {
    return this.dataSource.getRepository(AssistantEntity).find({
      where: {
        ...(id === undefined ? {} : { id }),
        published: true,
        publishedToAll: true,
        disabled: false,
        deletedAt: IsNull(),
      },
      order: { id: 'ASC' },
    });
  }

  /** Organization of a live assistant; for system administrators. */
  async organizationOf(id: number): Promise<string | null> {
    const row = await this.dataSource.getRepository(AssistantEntity).findOneBy({ id, deletedAt: IsNull() });
    return row?.organizationId ?? null;
  }
}
