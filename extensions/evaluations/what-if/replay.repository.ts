import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, IsNull, LessThan } from 'typeorm';
import {
  AcrossOrganizations,
  type Transaction,
  TenantScope,
  tenantRepository,
} from '../../../src/infrastructure/database';
import { ReplayEntity } from './replay.entity';
import type { ReplayItem } from './what-if.types';

const SET_ITEM = `UPDATE replays SET items = jsonb_set(items, ARRAY[$2::text], $3::jsonb) WHERE id = $1`;

export class ReplayScope extends TenantScope<ReplayEntity> {
  /** Newest first; one more than `limit`. */
  page(userId: string, limit: number, before: string | null): Promise<ReplayEntity[]> {
    const where: FindOptionsWhere<ReplayEntity> = before === null ? { userId } : { userId, id: LessThan(before) };
    return this.rows.find({ where: this.where(where), order: { id: 'DESC' }, take: limit + 1 });
  }

  count(userId: string): Promise<number> {
    return this.rows.countBy(this.where({ userId }));
  }

  async cancel(id: string): Promise<void> {
    await this.rows.update(this.where({ id, finishedAt: IsNull(), cancelledAt: IsNull() }), {
      cancelledAt: () => 'now()',
    });
  }

  async finish(id: string): Promise<void> {
    await this.rows.update(this.where({ id, finishedAt: IsNull() }), { finishedAt: () => 'now()' });
  }
}

@Injectable()
export class ReplayRepository extends tenantRepository(ReplayEntity, () => ReplayScope) {
  async setItem(id: string, index: number, item: ReplayItem, tx?: Transaction): Promise<void> {
    await (tx ?? this.dataSource.manager).query(SET_ITEM, [id, String(index), JSON.stringify(item)]);
  }

  /** With their organizations. */
  @AcrossOrganizations('jobs')
  unfinished(): Promise<Pick<ReplayEntity, 'id' | 'organizationId'>[]> {
    const rows = this.dataSource.getRepository(ReplayEntity);
    return rows.find({ where: { finishedAt: IsNull() }, select: { id: true, organizationId: true } });
  }

  @AcrossOrganizations('jobs')
  async removeOlderThan(days: number): Promise<void> {
    await this.dataSource.query('DELETE FROM replays WHERE finished_at < now() - make_interval(days => $1)', [days]);
  }
}
