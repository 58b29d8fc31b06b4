import type { StatedExpectation } from '../expectations/expectation-catalogue';

/** One question of a conversation and what its answer must be like. */
export interface TestTurn {
  readonly question: string;
  readonly expectations: readonly StatedExpectation[];
}
