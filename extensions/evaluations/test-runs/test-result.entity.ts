import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { TestTurn } from '../tests/assistant-test.types';
import type { AskedTurn, TestRefusal, TestState } from './test-result.types';

/** One test of a test run, as the test was then. */
@Entity('test_results')
@Index('test_results_test_run_idx', ['testRunId', 'id'])
@Index('test_results_test_idx', ['testId', 'id'])
export class TestResultEntity {
  /** UUID version 7, in the order of the tests. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'test_results_pk' })
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('uuid', { name: 'test_run_id' })
  testRunId!: string;

  @Column('uuid', { name: 'test_id' })
  testId!: string;

  @Column('integer', { name: 'test_version' })
  testVersion!: number;

  @Column('text')
  name!: string;

  @Column('jsonb')
  turns!: readonly TestTurn[];

  @Column('text', { default: 'waiting' })
  state!: TestState;

  /** The run that answers the current question. */
  @Column('uuid', { name: 'run_id', nullable: true })
  runId!: string | null;

  /** The questions asked so far. */
  @Column('jsonb', { default: [] })
  asked!: readonly AskedTurn[];

  @Column('jsonb', { nullable: true })
  refusal!: TestRefusal | null;
}
