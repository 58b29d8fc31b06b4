import type { ModelChunk, ModelRequest } from '../connectors';
import type { RunEvent } from '../kernel';
import { BackgroundWriter } from './background-writer';
import type { Completion, ModelCall } from './completion.types';

const chunk = (text: string, more: Partial<ModelChunk> = {}): ModelChunk => ({
  data: '{}',
  text,
  finishReason: null,
  usage: null,
  ...more,
});
const USAGE = { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 };
const CALL = { index: 0, id: 'call_1', name: 'f', arguments: '{}' };
const REQUEST = { model: 'm', messages: [], params: {} } as unknown as ModelRequest;

function background({ drained = (): Promise<void> => Promise.resolve() } = {}) {
  const events: RunEvent[] = [];
  const controller = new AbortController();
  const run = {
    startedMono: performance.now(),
    signal: controller.signal,
    emit: (event: RunEvent) => void events.push(event),
    drained,
  };
  const facts = { usage: null, finishReason: null, firstTokenMs: null } as unknown as Completion['facts'];
  const writer = new BackgroundWriter({ run, facts } as unknown as Completion);
  const said = (): string => events.map((event) => (event.type === 'llm.delta' ? event.text : '')).join('');
  return { writer, facts, said, controller };
}

function modelOf(...batches: readonly ModelChunk[][]): ModelCall & { asked: number } {
  const call = {
    model: 'm',
    asked: 0,
    complete: () => Promise.reject(new Error('background runs stream')),
    async *stream() {
      for (const batch of batches) {
        call.asked += 1;
        await Promise.resolve();
        yield batch;
      }
    },
  };
  return call;
}

describe('the answer of a background run', () => {
  it('is told piece by piece, with what it cost and why it ended', async () => {
    const { writer, facts, said } = background();
    await writer.model(
      modelOf([chunk('Hello '), chunk('you')], [chunk('.', { finishReason: 'stop', usage: USAGE })]),
      REQUEST,
    );
    expect(said()).toBe('Hello you.');
    expect(facts).toMatchObject({ usage: USAGE, finishReason: 'stop', firstTokenMs: expect.any(Number) });
  });

  it('has a paragraph for each round that says something', async () => {
    const { writer, facts, said } = background();
    const silent = modelOf([chunk('', { calls: [CALL] }), chunk('', { finishReason: 'tool_calls', usage: USAGE })]);
    const first = await writer.round(silent, REQUEST);
    expect(first).toMatchObject({ text: '', calls: [{ id: 'call_1' }], finishReason: 'tool_calls' });
    await writer.round(
      modelOf([chunk('Let me look.'), chunk('', { calls: [CALL], finishReason: 'tool_calls' })]),
      REQUEST,
    );
    await writer.round(modelOf([chunk('Do'), chunk('ne.', { finishReason: 'stop', usage: USAGE })]), REQUEST);
    expect(said()).toBe('Let me look.\n\nDone.');
    expect(facts).toMatchObject({ usage: { total_tokens: 18 }, finishReason: 'stop' });
  });

  it('is not asked for faster than it is written down', async () => {
    let release = (): void => undefined;
    const full = new Promise<void>((resolve) => (release = resolve));
    const { writer } = background({ drained: () => full });
    const call = modelOf([chunk('a')], [chunk('b', { finishReason: 'stop' })]);
    const writing = writer.model(call, REQUEST);
    await new Promise((next) => setImmediate(next));
    expect(call.asked).toBe(1);
    release();
    await writing;
    expect(call.asked).toBe(2);
  });

  it('is not read on once the run was aborted', async () => {
    const { writer, controller } = background();
    const call = modelOf([chunk('a')], [chunk('b')]);
    controller.abort();
    await expect(writer.model(call, REQUEST)).rejects.toThrow();
    expect(call.asked).toBe(1);
  });

  it('is the report where one was asked for', () => {
    const { writer, facts, said } = background();
    writer.report('# Report');
    expect([said(), facts.finishReason]).toEqual(['# Report', 'stop']);
    expect(writer.fail()).toBe(true);
  });
});
