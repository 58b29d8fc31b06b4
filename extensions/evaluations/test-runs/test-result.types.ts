import type { Problem } from '../../../src/kernel';
import type { CheckedExpectation } from '../expectations/checks.service';

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
