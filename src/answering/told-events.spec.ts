import type { RunEvent, StampedRunEvent } from '@bellwether/kernel';
import type { Completion } from './completion.types';
import { forOutsiders, toldEvent } from './told-events';

const ref = { index: 2, plugin: 'secret_rag', placeholder: '3_secret', step: 'secret' } as const;
const message = 'querying knowledge base secret';
const done = { chars: 1, sources: 2, duration_ms: 3, cached: false, confidence: null, retries: 0 };
const plan = {
  plan_id: 'p',
  planner: 'model',
  cached: false,
  reasoning: 'secret',
  confidence: 1,
  duration_ms: 1,
} as const;
const step = { id: 's1', index: 0, plugin: 'secret_rag', placeholder: '3_secret', dependencies: [] };
const NAMING: readonly RunEvent[] = [
  { type: 'run.progress', message },
  { type: 'warning', code: 'tool.degraded', message },
  { type: 'tool.started', ...ref, message },
  { type: 'tool.started', ...ref, call: { id: 'c1', name: 'secret_function', round: 1 }, message },
  { type: 'tool.progress', ...ref, message },
  { type: 'tool.retry', ...ref, attempt: 2, delay_ms: 1, message },
  { type: 'tool.skipped', ...ref, reason: 'needs secret', message },
  { type: 'tool.completed', ...ref, ...done, fallback: 'secret_rag', message },
  { type: 'tool.failed', ...ref, code: 'tool.timeout', message },
  { type: 'plan.ready', ...plan, steps: [step], stages: [['s1']], message },
  { type: 'answer.checked', ...ref, result: { statement: 'secret' }, message },
  { type: 'llm.tool_call', id: 'c1', name: 'secret_function', round: 1, chars: 1 },
];
const stamped = (event: RunEvent, at: number): StampedRunEvent => ({ run_id: 'r', seq: at + 1, at: 'now', ...event });
const EVENTS = NAMING.map(stamped);

describe('events for callers of another organization', () => {
  it.each(EVENTS.map((event) => [event.type, event] as const))('%s names nothing', (_type, event) => {
    const told = forOutsiders(event);
    expect(JSON.stringify(told)).not.toContain('secret');
    const { run_id, seq, at, type } = event;
    expect(told).toMatchObject({ run_id, seq, at, type, ...('index' in event ? { index: event.index } : {}) });
  });

  it('are unchanged where they are the answer and its end', () => {
    const delta = stamped({ type: 'llm.delta', text: 'a "secret"\nevent: tool.started\ndata: {}' }, 0);
    expect(forOutsiders(delta)).toBe(delta);
    const end = stamped({ type: 'run.completed', finish_reason: 'stop' }, 1);
    expect(forOutsiders(end)).toBe(end);
  });

  it('are all that a completion tells them, and nobody else', () => {
    const told = (hidesSources: boolean) => {
      const completion = { assistant: { disclosure: 'whole' }, hidesSources } as unknown as Completion;
      return EVENTS.map((event) => toldEvent(completion, event));
    };
    expect(told(true)).toEqual(EVENTS.map(forOutsiders));
    expect(told(false)).toEqual(EVENTS);
  });
});
