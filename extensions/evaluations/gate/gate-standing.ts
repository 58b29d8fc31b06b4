import type { LatestResult } from '../test-runs/test-result.repository';
import type { TestState } from '../test-runs/test-result.types';

/** A test at the gate. `not_run`: it has no result on this version, or the test was changed since. */
export interface GateTest {
  readonly id: string;
  readonly name: string;
  readonly state: TestState | 'not_run';
}

interface KnownTest {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

export function gateTests(tests: readonly KnownTest[], results: readonly LatestResult[]): readonly GateTest[] {
  const states = new Map(results.map(({ testId, testVersion, state }) => [`${testId} ${testVersion}`, state]));
  return tests.map(({ id, name, version }) => ({ id, name, state: states.get(`${id} ${version}`) ?? 'not_run' }));
}

/** An assistant without tests does not pass. */
export const passes = (tests: readonly GateTest[]): boolean =>
  tests.length > 0 && tests.every(({ state }) => state === 'passed');
