import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity';
import { TenantScope, tenantRepository } from '../../../src/infrastructure/database';
import { TestResultEntity, type TestState } from './test-result.entity';

const CHUNK = 100;

export type NewTestResult = Pick<TestResultEntity, 'id' | 'testRunId' | 'testId' | 'testVersion' | 'name' | 'turns'>;

export interface StateCount {
  readonly testRunId: string;
  readonly state: TestState;
  readonly count: number;
}

/** The newest result of a version of an assistant for one version of a test. */
export interface LatestResult {
  readonly testId: string;
  readonly testVersion: number;
  readonly state: TestState;
}

const COUNTS = `
  SELECT test_run_id AS "testRunId", state, count(*)::integer AS count FROM test_results
  WHERE organization_id = $1 AND test_run_id = ANY ($2::uuid[]) GROUP BY test_run_id, state`;

/** A test that was not asked, because its run was cancelled, has no result. */
const LATEST = `
  SELECT DISTINCT ON (r.test_id, r.test_version)
    r.test_id AS "testId", r.test_version AS "testVersion", r.state
  FROM test_results r JOIN test_runs t ON t.id = r.test_run_id AND t.organization_id = r.organization_id
  WHERE r.organization_id = $1 AND t.assistant_id = $2 AND t.assistant_version = $3 AND r.state <> 'cancelled'
  ORDER BY r.test_id, r.test_version, r.id DESC`;

const CANCEL = `UPDATE test_results SET state = 'cancelled', run_id = NULL
  WHERE organization_id = $1 AND test_run_id = $2 AND state IN ('waiting', 'running')`;

export class TestResultScope extends TenantScope<TestResultEntity> {
  async insertAll(results: readonly NewTestResult[]): Promise<void> {
    const { organizationId } = this;
    for (let from = 0; from < results.length; from += CHUNK) {
      const rows = results.slice(from, from + CHUNK).map((result) => ({ ...result, organizationId }));
      await this.rows.insert(rows as unknown as QueryDeepPartialEntity<TestResultEntity>[]);
    }
  }

  /** Results in the order of the tests; one more than `limit`. */
  page(testRunId: string, limit: number, after: string | null): Promise<TestResultEntity[]> {
    return this.rows.find({
      where: this.where({ testRunId, ...(after === null ? {} : { id: MoreThan(after) }) }),
      order: { id: 'ASC' },
      take: limit + 1,
    });
  }

  all(testRunId: string): Promise<TestResultEntity[]> {
    return this.rows.find({ where: this.where({ testRunId }), order: { id: 'ASC' } });
  }

  running(testRunId: string): Promise<TestResultEntity[]> {
    return this.rows.find({ where: this.where({ testRunId, state: 'running' }) });
  }

  /** Conversations that have begun come first. */
  nextWaiting(testRunId: string): Promise<TestResultEntity | null> {
    return this.rows
      .createQueryBuilder('result')
      .where(this.where({ testRunId, state: 'waiting' }))
      .orderBy('jsonb_array_length(result.asked)', 'DESC')
      .addOrderBy('result.id', 'ASC')
      .getOne();
  }

  async counts(testRunIds: readonly string[]): Promise<readonly StateCount[]> {
    if (testRunIds.length === 0) return [];
    return this.rows.query<StateCount[]>(COUNTS, [this.organizationId, [...testRunIds]]);
  }

  latest(assistantId: number, version: number): Promise<readonly LatestResult[]> {
    return this.rows.query<LatestResult[]>(LATEST, [this.organizationId, assistantId, version]);
  }

  async cancelOpen(testRunId: string): Promise<void> {
    await this.rows.query(CANCEL, [this.organizationId, testRunId]);
  }
}

@Injectable()
export class TestResultRepository extends tenantRepository(TestResultEntity, () => TestResultScope) {}
