import type { PlanSummary, StampedRunEvent } from '../kernel';
import { framesWithoutReasoning } from './plan-reasoning';
import { forUsers } from './progress-frames';
import type { VisibleRun } from './run-access.service';
import { presentRun } from './run-view';

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

  it('is in none of their frames, of which the others stay as they are', () => {
    const other = `id: 1\nevent: llm.delta\ndata: ${JSON.stringify({ text: 'a "reasoning"\nevent: plan.ready\ndata: {}' })}\n\n`;
    const frames = framesWithoutReasoning(
      `${other}id: 2\nevent: plan.ready\ndata: ${JSON.stringify(READY)}\n\n${other}`,
    );
    expect(frames).toBe(`${other}id: 2\nevent: plan.ready\ndata: ${JSON.stringify(forUsers(READY))}\n\n${other}`);
  });

  it('is in the record for those who may', () => {
    const record = { plan: PLAN, tools: [], sources: [], events: [] } as unknown as VisibleRun['record'];
    const run = { record, nested: [], answer: null };
    expect(presentRun({ ...run, withContents: true }).plan).toEqual(PLAN);
    expect(presentRun({ ...run, withContents: false }).plan).toEqual({ plan_id: 'p', confidence: 1 });
  });
});
