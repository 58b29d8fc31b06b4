import { Injectable } from '@nestjs/common';
import { In, MoreThan } from 'typeorm';
import { VersionedScope, tenantRepository } from '../../../src/infrastructure/database';
import { AssistantTestEntity } from './assistant-test.entity';

export class AssistantTestScope extends VersionedScope<AssistantTestEntity> {
  /** Oldest first; one more than `limit`. */
  page(assistantId: number, limit: number, after: string | null): Promise<AssistantTestEntity[]> {
    return this.rows.find({
      where: this.where({ assistantId, ...(after === null ? {} : { id: MoreThan(after) }) }),
      order: { id: 'ASC' },
      take: limit + 1,
    });
  }

  /** Oldest first. */
  all(assistantId: number, ids?: readonly string[]): Promise<AssistantTestEntity[]> {
    const where = this.where({ assistantId, ...(ids === undefined ? {} : { id: In(ids) }) });
    return this.rows.find({ where, order: { id: 'ASC' } });
  }

  count(assistantId: number): Promise<number> {
    return this.rows.countBy(this.where({ assistantId }));
  }
}

@Injectable()
export class AssistantTestRepository extends tenantRepository(AssistantTestEntity, () => AssistantTestScope) {}
