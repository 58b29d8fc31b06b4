import type { Problem } from '@bellwether/kernel';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { CheckedExpectation } from '../expectations/expectation-runner.service';
import type { TestTurn } from '../tests/assistant-test.entity';

/** States of one test in a test run. Only `passed` counts as passed. `not_asked`: the question could not be answered. */
export const TEST_STATES = [
  'waiting',
  'running',
  'passed',
  'failed',
  'not_judged',
  'gone',
  'not_asked',
  'cancelled',
] as const;
export type TestState = (typeof TEST_STATES)[number];

/** One question of a test with its results. */
export interface AskedTurn {
  readonly run_id: string;
  readonly answer: string;
  readonly duration_ms: number;
  readonly cost_micros: number | null;
  readonly outcomes: readonly CheckedExpectation[];
}

/** Why a question was not answered. */
export interface TestRefusal {
  readonly code: string;
  readonly detail: string;
  readonly problems: readonly Problem[];
}

/** One test of a test run, as the test was then. */
@Entity('test_results')
@Index('test_results_test_run_idx', ['testRunId', 'id'])
@Index('test_results_test_idx', ['testId', 'id'])
export class TestResultEntity {
  /** UUID version 7, in the order of the tests. */
  @PrimaryColumn('uuid')
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
