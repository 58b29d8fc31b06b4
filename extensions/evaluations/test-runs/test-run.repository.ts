import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, LessThan, type Repository } from 'typeorm';
import { AcrossOrganizations, TenantScope, type Transaction } from '../../../src/infrastructure/database';
import { TestRunEntity } from './test-run.entity';

@Injectable()
export class TestRunRepository {
  constructor(private readonly dataSource: DataSource) {}

  within(organizationId: string, tx?: Transaction): TestRunScope {
    return new TestRunScope(this.rows(tx), organizationId);
  }

  /** With their organizations. */
  @AcrossOrganizations('jobs')
  unfinished(): Promise<Pick<TestRunEntity, 'id' | 'organizationId'>[]> {
    return this.rows().find({ where: { finishedAt: IsNull() }, select: { id: true, organizationId: true } });
  }

  /** With their results. */
  @AcrossOrganizations('jobs')
  async removeOlderThan(days: number): Promise<void> {
    await this.dataSource.query('DELETE FROM test_runs WHERE finished_at < now() - make_interval(days => $1)', [days]);
  }

  private rows(tx?: Transaction): Repository<TestRunEntity> {
    return (tx ?? this.dataSource.manager).getRepository(TestRunEntity);
  }
}

export class TestRunScope extends TenantScope<TestRunEntity> {
  /** Newest first; one more than `limit`. */
  page(assistantId: number, limit: number, before: string | null): Promise<TestRunEntity[]> {
    return this.rows.find({
      where: this.where({ assistantId, ...(before === null ? {} : { id: LessThan(before) }) }),
      order: { id: 'DESC' },
      take: limit + 1,
    });
  }

  count(assistantId: number): Promise<number> {
    return this.rows.countBy(this.where({ assistantId }));
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
