import type { PlanSummary } from '@bellwether/kernel';
import type { VisibleRun } from './run-access.service';
import { presentRun } from './run-view';

const PLAN = { plan_id: 'p', reasoning: 'the file says basalt', confidence: 1 } as unknown as PlanSummary;

describe('a run as the API presents it', () => {
  it('has the reasoning of its plan only for those who may edit the assistant', () => {
    const record = { plan: PLAN, tools: [], sources: [], events: [] } as unknown as VisibleRun['record'];
    const run = { record, nested: [], answer: null };
    expect(presentRun({ ...run, withContents: true }).plan).toEqual(PLAN);
    expect(presentRun({ ...run, withContents: false }).plan).toEqual({ plan_id: 'p', confidence: 1 });
  });
});
