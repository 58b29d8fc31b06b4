import type { StampedRunEvent } from '@bellwether/kernel';
import { Run } from './run';
import { runInput } from './testing/run-input';

const started = {
  type: 'tool.started',
  index: 0,
  plugin: 'simple_rag',
  placeholder: '1_context',
  message: 'go',
} as const;

describe('Run', () => {
  it('stamps events for listeners with an unbroken sequence and ends the stream after the terminal event', () => {
    const run = new Run(runInput());
    run.emit({ type: 'run.started', assistant_id: 1, assistant_type: 'classic', strategy: null });
    const seen: StampedRunEvent[] = [];
    const unfollow = run.follow((event) => seen.push(event));
    run.emit(started);
    run.emit({ type: 'llm.delta', text: 'Hi' });
    run.emit({ type: 'run.completed', finish_reason: 'not from here' });
    run.close({ type: 'run.completed', finish_reason: 'stop' });
    run.close({ type: 'run.cancelled', reason: 'late' });
    run.emit(started);
    expect(seen.map(({ seq, type }) => [seq, type])).toEqual([
      [2, 'tool.started'],
      [3, 'run.completed'],
    ]);
    expect(seen[0]).toMatchObject({ run_id: run.id, at: expect.stringMatching(/^\d{4}-.*Z$/) });
    unfollow();
  });

  it('is over for those who hear of its end, and tells nothing to those who left', () => {
    const run = new Run(runInput());
    const seen: boolean[] = [];
    run.follow(() => seen.push(run.isClosed));
    run.follow(() => seen.push(true))();
    run.emit(started);
    run.close({ type: 'run.cancelled', reason: 'client_gone' });
    expect(seen).toEqual([false, true]);
  });

  it('records everything but deltas without a gap, and how tools ended however chatty they were', () => {
    const run = new Run(runInput());
    run.emit(started);
    for (let i = 0; i < 1_000; i++) run.emit({ ...started, type: 'tool.progress' });
    for (let i = 0; i < 1_000; i++) run.emit({ type: 'llm.delta', text: 'x' });
    run.emit({ ...started, type: 'tool.failed', code: 'tool.timeout' });
    run.close({ type: 'run.completed', finish_reason: 'stop' });
    const types = run.recorded.map(({ type }) => type);
    expect(types).toHaveLength(203);
    expect(types).not.toContain('llm.delta');
    expect(run.recorded.map(({ seq }) => seq)).toEqual(types.map((_, n) => n + 1));
    expect(types.slice(-2)).toEqual(['tool.failed', 'run.completed']);
  });

  it('keeps the plan without what is said about it', () => {
    const run = new Run(runInput());
    const plan = {
      plan_id: 'p1',
      planner: 'heuristic',
      cached: false,
      steps: [{ id: 's1', index: 0, plugin: 'simple_rag', placeholder: '1_context', dependencies: [] }],
      stages: [['s1']],
      reasoning: 'because',
      confidence: 0.5,
      duration_ms: 1,
    } as const;
    run.emit({ type: 'plan.ready', ...plan, message: 'Plan ready' });
    expect(run.plan).toEqual(plan);
  });

  it('keeps the first reason it was aborted for', () => {
    const run = new Run(runInput());
    expect(run.abortReason).toBeNull();
    run.abort('client_gone');
    run.abort('server_shutdown');
    expect(run.signal.aborted).toBe(true);
    expect(run.abortReason).toBe('client_gone');
  });
});
