import { Injectable } from '@nestjs/common';
import { DataSource, In, MoreThan } from 'typeorm';
import { type Transaction, VersionedScope } from '../../../src/infrastructure/database';
import { AssistantTestEntity } from './assistant-test.entity';

@Injectable()
export class AssistantTestRepository {
  constructor(private readonly dataSource: DataSource) {}

  within(organizationId: string, tx?: Transaction): AssistantTestScope {
    return new AssistantTestScope((tx ?? this.dataSource.manager).getRepository(AssistantTestEntity), organizationId);
  }
}

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
