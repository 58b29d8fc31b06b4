import type { PlanSummary, StampedRunEvent } from '@bellwether/kernel';
import { forUsers } from './told-events';

const PLAN = { plan_id: 'p', reasoning: 'the file says basalt', confidence: 1 } as unknown as PlanSummary;
const STAMP = { run_id: 'r', seq: 2, at: '2026-01-01T00:00:00.000Z', message: 'm' };
const READY: StampedRunEvent = { type: 'plan.ready', ...PLAN, ...STAMP };
const OTHER: StampedRunEvent = { type: 'run.progress', ...STAMP };

describe('the reasoning of a plan', () => {
  it('is in no event for those who may not edit the assistant', () => {
    expect(JSON.stringify(forUsers(READY))).not.toContain('basalt');
    expect(forUsers(READY)).toMatchObject({ type: 'plan.ready', plan_id: 'p' });
    expect(forUsers(OTHER)).toBe(OTHER);
  });
});
