import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTerminal, type EventBody, type RunEvent } from './run-events';
import { beginning, hasEnded, problemsOf, reduce, reduceAll } from './run-state';

const START = Date.parse('2026-11-22T10:00:00.000Z');
/** Events as the service would tell them, 10 ms apart. */
const told = (bodies: readonly EventBody[]): RunEvent[] =>
  bodies.map((body, index) => ({
    ...body,
    run_id: 'r',
    seq: index + 1,
    at: new Date(START + index * 10).toISOString(),
  }));
const tool = (index: number): { index: number; plugin: string; placeholder: string; message: string } => ({
  index,
  plugin: 'simple_rag',
  placeholder: `${index + 1}_context`,
  message: 'told',
});
const started = (index: number): EventBody => ({ type: 'tool.started', ...tool(index) });
const completed = (index: number, more: object = {}): EventBody => ({
  type: 'tool.completed',
  ...tool(index),
  chars: 812,
  sources: 2,
  duration_ms: 38.2,
  cached: false,
  confidence: 0.8,
  retries: 0,
  ...more,
});
const RUN: EventBody = { type: 'run.started', assistant_id: 7, assistant_type: 'multi_tool', strategy: 'parallel' };
const MODEL: EventBody = { type: 'llm.started', connector: 'openai', model: 'gpt' };
const delta = (text: string): EventBody => ({ type: 'llm.delta', text });
const DONE: EventBody = { type: 'run.completed', finish_reason: 'stop' };
const fold = (...bodies: EventBody[]) => reduceAll(beginning('r'), told(bodies));

describe('the state of a run', () => {
  it('holds one span for each tool and for the model, on one clock', () => {
    const state = fold(
      RUN,
      started(0),
      started(1),
      completed(1, { cached: true }),
      completed(0),
      MODEL,
      delta('Os'),
      DONE,
    );
    expect(state.spans.map(({ key, kind, start, end, status }) => [key, kind, start, end, status])).toEqual([
      ['t0', 'tool', 10, 40, 'completed'],
      ['t1', 'tool', 20, 30, 'completed'],
      ['m1', 'model', 50, 70, 'completed'],
    ]);
    expect(state).toMatchObject({ status: 'completed', strategy: 'parallel', answer: 'Os', model: 'gpt', now: 70 });
    expect(state.spans[1]).toMatchObject({ cached: true, duration: 38.2, chars: 812, sources: 2 });
    expect(state.spans[2]?.firstText).toBe(60);
  });

  it('counts retries and tells why a tool failed or was skipped', () => {
    const state = fold(
      RUN,
      started(0),
      { type: 'tool.retry', ...tool(0), attempt: 2, delay_ms: 5 },
      { type: 'tool.retry', ...tool(0), attempt: 3, delay_ms: 5 },
      { type: 'tool.failed', ...tool(0), code: 'tool.timeout' },
      { type: 'tool.skipped', ...tool(1), reason: 'nothing to do' },
    );
    expect(state.spans[0]).toMatchObject({ retries: 2, status: 'failed', code: 'tool.timeout', end: 40 });
    expect(state.spans[1]).toMatchObject({ status: 'skipped', start: 50, end: 50, note: 'nothing to do' });
  });

  it('tells functions, rounds of the model and checks of the answer from the pipeline’s tools', () => {
    const call = { id: 'c', name: 'get_weather', round: 1 };
    const state = fold(
      RUN,
      MODEL,
      { type: 'llm.tool_call', id: 'c1', name: 'get_weather', round: 1, chars: 2 },
      { ...started(0), call } as EventBody,
      { ...completed(0), call } as EventBody,
      { ...MODEL, round: 2 } as EventBody,
      delta('Sunny'),
      { type: 'tool.started', ...tool(3), plugin: 'fact_check' },
      DONE,
    );
    expect(state.spans.map(({ key, kind, name, end }) => [key, kind, name, end])).toEqual([
      ['m1', 'model', 'gpt', 20],
      ['f0', 'function', 'get_weather', 40],
      ['m2', 'model', 'gpt', 70],
      ['t3', 'check', 'fact_check', 80],
    ]);
  });

  it('shows steps of a plan apart, and the planning before them', () => {
    const plan = {
      plan_id: 'p1',
      planner: 'heuristic' as const,
      cached: true,
      steps: [],
      stages: [],
      confidence: 1,
      duration_ms: 4,
      message: 'm',
    };
    const state = fold(
      RUN,
      { type: 'plan.ready', ...plan },
      { ...started(0), step: 's1' } as EventBody,
      { ...started(0), step: 's2' } as EventBody,
    );
    expect(state.spans.map(({ key, start, end }) => [key, start, end])).toEqual([
      ['plan', 6, 10],
      ['t0:s1', 20, null],
      ['t0:s2', 30, null],
    ]);
  });

  it.each([
    [{ type: 'run.cancelled', reason: 'asked' } as EventBody, 'cancelled', ['cancelled', 'cancelled']],
    [{ type: 'run.failed', code: 'upstream_error', message: 'm' } as EventBody, 'failed', ['cancelled', 'failed']],
  ])('leaves nothing at work behind %o', (end, status, spans) => {
    const state = fold(RUN, started(0), MODEL, end);
    expect(state.status).toBe(status);
    expect(state.spans.map((span) => span.status)).toEqual(spans);
    expect(state.spans.every((span) => span.end === 30)).toBe(true);
  });

  it('shows the model as failed when its vendor failed, although figures came before the end', () => {
    const usage = { type: 'usage', prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 } as EventBody;
    const state = fold(RUN, MODEL, usage, { type: 'run.failed', code: 'upstream_error', message: 'm' });
    expect(state.spans).toMatchObject([{ kind: 'model', status: 'failed', code: 'upstream_error' }]);
  });

  it('counts tools that failed in a run that completed', () => {
    const failed: EventBody = { type: 'tool.failed', ...tool(0), code: 'tool.timeout' };
    expect(problemsOf(fold(RUN, started(0), failed, started(1), completed(1), MODEL, DONE))).toBe(1);
  });

  it('passes over kinds of events that it does not know', () => {
    const state = fold(RUN, { type: 'moon.rose' } as unknown as EventBody, delta('x'));
    expect(state).toMatchObject({ seq: 3, answer: 'x', status: 'running' });
  });
});

const body: fc.Arbitrary<EventBody> = fc.oneof(
  fc.nat(4).map(started),
  fc.nat(4).map((index) => completed(index)),
  fc.nat(4).map((index): EventBody => ({ type: 'tool.failed', ...tool(index), code: 'tool.failed' })),
  fc.nat(4).map((index): EventBody => ({ type: 'tool.skipped', ...tool(index), reason: 'why' })),
  fc.string().map(delta),
  fc.constantFrom<EventBody>(
    MODEL,
    DONE,
    { type: 'llm.tool_call', id: 'c1', name: 'f', round: 1, chars: 2 },
    { type: 'sources', sources: [] },
    {
      type: 'run.cancelled',
      reason: 'r',
    },
  ),
);

describe('whatever events come', () => {
  it('is the same however the stream was cut and overlapped', () => {
    fc.assert(
      fc.property(fc.array(body, { maxLength: 40 }), fc.array(fc.tuple(fc.nat(40), fc.nat(10))), (bodies, cuts) => {
        const events = told(bodies);
        const whole = reduceAll(beginning('r'), events);
        let state = beginning('r');
        let at = 0;
        for (const [length, overlap] of [...cuts, [events.length, 0] as const]) {
          state = reduceAll(state, events.slice(Math.max(0, at - overlap), at + length));
          at = Math.min(events.length, at + length);
        }
        expect(state).toEqual(whole);
      }),
    );
  });

  it('keeps spans on the clock, one for each key, and none at work once it has ended', () => {
    fc.assert(
      fc.property(fc.array(body, { maxLength: 40 }), (bodies) => {
        const state = reduceAll(beginning('r'), told(bodies));
        expect(new Set(state.spans.map(({ key }) => key)).size).toBe(state.spans.length);
        for (const { start, end, status } of state.spans) {
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end ?? state.now).toBeGreaterThanOrEqual(start);
          expect(end ?? 0).toBeLessThanOrEqual(state.now);
          if (hasEnded(state)) expect(status).not.toBe('running');
        }
      }),
    );
  });

  it('has all text up to the end as its answer, and nothing behind it', () => {
    fc.assert(
      fc.property(fc.array(body, { maxLength: 40 }), (bodies) => {
        const end = bodies.findIndex((one) => isTerminal(one));
        const before = end === -1 ? bodies : bodies.slice(0, end);
        const text = before.map((one) => (one.type === 'llm.delta' ? one.text : '')).join('');
        expect(told(bodies).reduce(reduce, beginning('r')).answer).toBe(text);
      }),
    );
  });
});
