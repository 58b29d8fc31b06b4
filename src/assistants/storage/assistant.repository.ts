import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull } from 'typeorm';
import { AcrossOrganizations, type Transaction } from '../../infrastructure/database';
import { AssistantEntity } from './assistant.entity';
import { AssistantScope } from './assistant-scope.repository';
import { AssistantShareScope, grantsTo, type ShareGrant } from './assistant-share-scope.repository';
import { AssistantVersionEntity } from './assistant-version.entity';
import { type RunningRow, runningRows } from './running-rows.repository';

export interface CallRows {
  readonly rows: readonly RunningRow[];
  readonly shares: readonly ShareGrant[];
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
      new AssistantShareScope(manager, organizationId),
    );
  }

  /**
   * Rows of any organization, deleted ones included, and their shares with `userIds`. Only for decisions about calls,
   * which check the organizations themselves.
   */
  @AcrossOrganizations('calls')
  async forCall(ids: readonly number[], userIds: readonly string[]): Promise<CallRows> {
    const { manager } = this.dataSource;
    const [rows, shares] = await Promise.all([
      manager
        .getRepository(AssistantEntity)
        .findBy({ id: In([...ids]) })
        .then((found) => runningRows(found, manager.getRepository(AssistantVersionEntity))),
      grantsTo(manager, ids, userIds),
    ]);
    const organizations = new Map(rows.map(({ id, organizationId }) => [id, organizationId]));
    // A share counts in the organization of its assistant only.
    const own = shares.filter((share) => organizations.get(share.assistantId) === share.organizationId);
    return { rows, shares: own };
  }

  /** Assistants of all organizations, by id, before the consent of organizations is checked. */
  @AcrossOrganizations('calls')
  async publishedToAll(id?: number): Promise<RunningRow[]> {
    const rows = await this.dataSource.getRepository(AssistantEntity).find({
      where: {
        ...(id === undefined ? {} : { id }),
        published: true,
        publishedToAll: true,
        disabled: false,
        deletedAt: IsNull(),
      },
      order: { id: 'ASC' },
    });
    return runningRows(rows, this.dataSource.getRepository(AssistantVersionEntity));
  }

  /** Organization of a live assistant; for system administrators. */
  @AcrossOrganizations('calls')
  async organizationOf(id: number): Promise<string | null> {
    const row = await this.dataSource.getRepository(AssistantEntity).findOneBy({ id, deletedAt: IsNull() });
    return row?.organizationId ?? null;
  }
}
