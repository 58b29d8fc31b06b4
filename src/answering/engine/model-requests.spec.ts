import type { ModelAnswer, ModelChunk, ModelRequest, ResolvedModel, TakeChunks } from '../../connectors';
import { type AnswerEvent, Backpressure, type Completion } from '../completion.types';
import type { AnswerImages } from './answer-images';
import { AnswerRecordBuilder } from './answer-record-builder';
import { ModelRequests } from './model-requests';

const USAGE = { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 };
const CALL = { index: 0, id: 'call_1', name: 'f', arguments: '{}' };
const REQUEST: ModelRequest = { model: 'm', messages: [], params: { stream_options: { include_usage: true } } };

const chunk = (text: string, more: Partial<ModelChunk> = {}): ModelChunk => ({
  data: JSON.stringify({ choices: [], usage: more.usage ?? null }),
  text,
  finishReason: null,
  usage: null,
  ...more,
});

interface Setting {
  readonly batches?: readonly ModelChunk[][];
  readonly answers?: readonly Partial<ModelAnswer>[];
}

function requests({ batches = [], answers = [] }: Setting) {
  const controller = new AbortController();
  const completion = {
    run: { id: 'r', startedMono: performance.now(), signal: controller.signal, input: { caller: {} } },
    request: { stream: answers.length === 0, messages: [], params: {} },
    assistant: {},
    recorded: null,
    secrets: [],
    meter: { costMicros: null },
  } as unknown as Completion;
  const vendor = { asked: 0, requests: [] as ModelRequest[] };
  const left = [...answers];
  const connector = {
    definition: { capabilities: { image_generation: false } },
    complete: () =>
      Promise.resolve({ body: {}, text: '', calls: [], finishReason: 'stop', usage: null, ...left.shift() }),
    async stream(request: ModelRequest, _target: unknown, _context: unknown, take: TakeChunks) {
      vendor.requests.push(request);
      for (const batch of batches) {
        vendor.asked += 1;
        await take(batch);
      }
    },
  };
  const builder = new AnswerRecordBuilder(completion);
  const events: AnswerEvent[] = [];
  const pressure = new Backpressure();
  const answer = { completion, builder, pressure, tell: (event: AnswerEvent) => void events.push(event) };
  const images = { inAnswer: (_: Completion, made: ModelAnswer) => Promise.resolve(made) } as unknown as AnswerImages;
  const asking = new ModelRequests(answer, { connector } as unknown as ResolvedModel, images);
  return { asking, controller, events, builder, pressure, vendor };
}

describe('the requests of an answer to its model', () => {
  it('pass the vendor’s chunks on as they are, and keep what they cost and why they ended', async () => {
    const batch = [chunk('you'), chunk('.', { finishReason: 'stop', usage: USAGE })];
    const { asking, events, builder } = requests({ batches: [[chunk('Hello ')], batch] });
    await asking.single(REQUEST);
    expect(events).toHaveLength(2);
    expect(events[1]).toEqual({ type: 'delta', chunks: batch, callsFollow: false });
    expect((events[1] as { chunks: unknown }).chunks).toBe(batch);
    expect(builder.record({ status: 'completed' })).toMatchObject({
      usage: USAGE,
      finishReason: 'stop',
      firstTokenMs: expect.any(Number),
    });
  });

  it('tell the figures of the whole run where tools have spent some', async () => {
    const { asking, events, builder } = requests({ batches: [[chunk('', { finishReason: 'stop', usage: USAGE })]] });
    builder.usage = USAGE;
    await asking.single(REQUEST);
    expect(JSON.stringify(events)).toContain('\\"total_tokens\\":18');
    expect(builder.usage).toMatchObject({ total_tokens: 18 });
  });

  it('say whether calls follow a round, and ask for no usage chunk of its own', async () => {
    const batches = [[chunk('', { calls: [CALL] })], [chunk('', { finishReason: 'tool_calls', usage: USAGE })]];
    const { asking, events, builder, vendor } = requests({ batches });
    const answer = await asking.round(REQUEST, 1);
    expect(answer).toMatchObject({ text: '', calls: [{ id: 'call_1' }], finishReason: 'tool_calls' });
    expect(events.map((event) => (event.type === 'delta' ? event.callsFollow : event.type))).toEqual([
      'round',
      false,
      true,
      'tool_calls',
    ]);
    expect(vendor.requests[0]?.params).toEqual({});
    await asking.round(REQUEST, 2);
    expect(builder.usage).toMatchObject({ total_tokens: 18 });
  });

  it('are not made faster than the sinks take their chunks', async () => {
    let release = (): void => undefined;
    const { asking, pressure, vendor } = requests({ batches: [[chunk('a')], [chunk('b', { finishReason: 'stop' })]] });
    pressure.hold(new Promise<void>((resolve) => (release = resolve)));
    const working = asking.single(REQUEST);
    await new Promise((next) => setImmediate(next));
    expect(vendor.asked).toBe(1);
    release();
    await working;
    expect(vendor.asked).toBe(2);
  });

  it('are not read on once the run was aborted', async () => {
    const { asking, controller, vendor } = requests({ batches: [[chunk('a')], [chunk('b')]] });
    controller.abort();
    await expect(asking.single(REQUEST)).rejects.toThrow();
    expect(vendor.asked).toBe(1);
  });

  it('keep their texts, in one piece or many, round after round', async () => {
    const streamed = requests({ batches: [[chunk('T'), chunk('w')], [chunk('o.')]] });
    await streamed.asking.round(REQUEST, 1);
    await streamed.asking.round(REQUEST, 2);
    expect(streamed.asking.text).toBe('Two.\n\nTwo.');
    const whole = requests({ answers: [{ text: 'One.' }] });
    await whole.asking.single(REQUEST);
    expect(whole.asking.text).toBe('One.');
  });
});
