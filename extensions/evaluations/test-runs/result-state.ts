import type { AskedTurn, TestState } from './test-result.entity';

/** From the worst to the best. */
const SEVERITY = ['failed', 'gone', 'not_judged'] as const;

/** State of a test whose questions are all answered: that of its worst expectation. */
export function stateOf(asked: readonly AskedTurn[]): TestState {
  const found = new Set(asked.flatMap(({ outcomes }) => outcomes.map(({ status }) => status)));
  return SEVERITY.find((status) => found.has(status)) ?? 'passed';
}

export const CHANGES = ['better', 'worse', 'same', 'other', 'new', 'removed'] as const;
/** `other`: it passed neither before nor after, with different results. */
export type Change = (typeof CHANGES)[number];

export function changeOf(before: TestState | null, after: TestState | null): Change {
  if (before === null) return 'new';
  if (after === null) return 'removed';
  if (before === after) return 'same';
  if (after === 'passed') return 'better';
  return before === 'passed' ? 'worse' : 'other';
}
