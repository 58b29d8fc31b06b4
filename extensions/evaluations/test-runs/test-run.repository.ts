import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, LessThan, type Repository } from 'typeorm';
import { AcrossOrganizations, TenantScope, type Transaction } from '../../../src/infrastructure/database';
import { TestRunEntity } from './test-run.entity';

/** An assistant that has tests. */
export interface TestedAssistant {
  readonly id: number;
  readonly name: string;
  readonly organizationId: string;
  readonly organizationSlug: string;
  readonly ownerId: string;
}

const TESTED = `
  SELECT a.id, a.name, a.organization_id AS "organizationId", o.slug AS "organizationSlug", a.owner_id AS "ownerId"
  FROM assistants a JOIN organizations o ON o.id = a.organization_id
  WHERE a.deleted_at IS NULL AND ($1::integer IS NULL OR a.id = $1) AND ($2::text IS NULL OR o.slug = $2)
    AND EXISTS (SELECT FROM assistant_tests t WHERE t.assistant_id = a.id AND t.organization_id = a.organization_id)
  ORDER BY a.id`;

/** Assistants with tests, for operator commands, which work across organizations. */
@Injectable()
export class TestedAssistantRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** null: any. */
  find(id: number | null, organization: string | null): Promise<readonly TestedAssistant[]> {
    return this.dataSource.query<TestedAssistant[]>(TESTED, [id, organization]);
  }
}

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
