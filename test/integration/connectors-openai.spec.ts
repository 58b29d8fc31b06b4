import { DEFAULT_CALL_LIMITS } from '../../src/connectors';
import { OPENAI } from '../../src/connectors/catalog/openai';
import type { OutboundClient } from '../../src/infrastructure/outbound';
import { startUpstream, type Upstream } from '../support/upstream';
import { askFor, ConnectorCaller, outboundFor, QUICK_LIMITS, SECRET, targetAt } from '../support/upstream-caller';

const USAGE = { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 };

describe('the openai connector', () => {
  let upstream: Upstream;
  let outbound: OutboundClient;
  let caller: ConnectorCaller;

  beforeAll(async () => {
    upstream = await startUpstream();
  });
  beforeEach(() => {
    upstream.reset();
    outbound = outboundFor();
    caller = new ConnectorCaller(OPENAI.connect({ outbound, limits: QUICK_LIMITS }));
  });
  afterEach(async () => {
    await outbound.onModuleDestroy();
    upstream.verify();
  });
  afterAll(() => upstream.stop());

  it('sends the messages, the key and the client’s parameters, and answers with the vendor’s model name', async () => {
    upstream.expect({ content: 'Because.', model: 'scripted-2026-01-01' });
    const params = {
      temperature: 0.3,
      top_p: 0.9,
      stop: ['x'],
      seed: 7,
      user: 'u',
      metadata: { a: 'b' },
      made_up: { c: 1 },
    };
    const answer = await caller.complete(targetAt(`${upstream.url}/`), askFor({ params }));
    expect(answer).toMatchObject({
      text: 'Because.',
      finishReason: 'stop',
      usage: USAGE,
      body: { model: 'scripted-2026-01-01' },
    });
    const [request] = upstream.requests;
    expect(request?.path).toBe('/v1/chat/completions');
    expect(request?.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect(request?.body).toEqual({ ...params, model: 'scripted', messages: [{ role: 'user', content: 'Why?' }] });
  });

  it('sends no authorization when there is no key', async () => {
    upstream.expect({ content: 'Hi.' });
    await caller.complete(targetAt(upstream.url, { apiKey: null }));
    expect(upstream.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('streams text that joins to the answer, forwarding the vendor’s own bytes', async () => {
    const content = 'One “two”\n\tthree \\frac{a}{b} 🙂 {user_input} $& end';
    upstream.expect({ content });
    const outcome = await caller.stream(targetAt(upstream.url));
    expect(outcome).toMatchObject({ text: content, finishReason: 'stop', error: null });
    const joined = outcome.chunks
      .map(({ data }) => JSON.parse(data) as { choices: { delta: { content?: string } }[] })
      .map(({ choices }) => choices[0]?.delta.content ?? '')
      .join('');
    expect(joined).toBe(content);
    for (const { data } of outcome.chunks) expect(data).not.toContain('\n');
  });

  it('always asks for usage, and shows its chunk only to clients that ask', async () => {
    upstream.expect({ content: 'Hi.' }, { times: 2 });
    const unasked = await caller.stream(
      targetAt(upstream.url),
      askFor({ params: { stream_options: { progress: 'off' } } }),
    );
    expect(upstream.requests[0]?.body.stream_options).toEqual({ include_usage: true });
    expect(unasked.chunks.at(-1)).toMatchObject({ finishReason: 'stop', usage: USAGE });
    for (const { data } of unasked.chunks) expect(JSON.parse(data)).toMatchObject({ choices: [{ index: 0 }] });
    const asked = await caller.stream(
      targetAt(upstream.url),
      askFor({ params: { stream_options: { include_usage: true } } }),
    );
    expect(asked.chunks.at(-2)).toMatchObject({ finishReason: 'stop', usage: null });
    expect(asked.chunks.at(-1)).toMatchObject({ finishReason: null, usage: USAGE });
    expect(JSON.parse(asked.chunks.at(-1)?.data ?? '')).toMatchObject({ choices: [], usage: USAGE });
  });

  it('passes tool calls through', async () => {
    upstream.expect({ toolCalls: [{ name: 'weather', arguments: '{"city":"València"}' }] });
    const outcome = await caller.stream(targetAt(upstream.url), askFor({ params: { tools: [{ type: 'function' }] } }));
    expect(outcome.finishReason).toBe('tool_calls');
    expect(upstream.requests[0]?.body['tools']).toEqual([{ type: 'function' }]);
    expect(outcome.chunks.map(({ data }) => data).join('')).toContain('València');
  });

  it('fills what a loose vendor leaves out, on every chunk alike', async () => {
    const events = [
      '{"choices":[{"delta":{"content":"a"}}]}',
      '{"choices":[{"delta":{"content":"b"}}]}',
      '{"choices":[{"delta":{},"finish_reason":"stop"}]}',
    ];
    const raw = events.map((event) => `data: ${event}\n\n`).join('');
    upstream.expect({ raw, headers: { 'content-type': 'text/event-stream' } });
    const outcome = await caller.stream(targetAt(upstream.url));
    expect(outcome).toMatchObject({ text: 'ab', finishReason: 'stop', error: null });
    const chunks = outcome.chunks.map(({ data }) => JSON.parse(data) as Record<string, unknown>);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({ object: 'chat.completion.chunk', model: 'scripted', created: expect.any(Number) });
      expect((chunk['choices'] as object[])[0]).toMatchObject({ index: 0 });
      expect((chunk['choices'] as object[])[0]).toHaveProperty('finish_reason');
    }
  });

  it('hands over the first words while the vendor is still speaking', async () => {
    upstream.expect({ pieces: ['first ', 'second'], content: 'first second', delayMs: 150 });
    const arrivals: number[] = [];
    for await (const _ of caller.open(targetAt(upstream.url))) arrivals.push(performance.now());
    expect(arrivals.length).toBeGreaterThanOrEqual(3);
    expect((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(200);
  });

  it('keeps its connections from call to call, streamed or not', async () => {
    upstream.expect({ content: 'Hi.' }, { times: 6 });
    const before = upstream.connections;
    for (let i = 0; i < 3; i += 1) {
      await caller.stream(targetAt(upstream.url));
      await caller.complete(targetAt(upstream.url));
    }
    // Two when a call begins before the end of the one before it was read.
    expect(upstream.connections - before).toBeLessThanOrEqual(2);
  });

  it('holds many streams at once', async () => {
    upstream.expect({ content: 'a b c d e', delayMs: 20 }, { times: 100 });
    const relaxed = new ConnectorCaller(OPENAI.connect({ outbound, limits: DEFAULT_CALL_LIMITS }));
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => relaxed.stream(targetAt(upstream.url))));
    expect(outcomes.flatMap(({ error }) => error ?? [])).toEqual([]);
    expect(outcomes.filter(({ text }) => text === 'a b c d e')).toHaveLength(100);
  });

  it('leaves no timer and no listener on the caller’s signal behind', async () => {
    upstream.expect({ content: 'Hi.' }, { times: 20 });
    const abort = new AbortController();
    const added = jest.spyOn(abort.signal, 'addEventListener');
    const removed = jest.spyOn(abort.signal, 'removeEventListener');
    for (let i = 0; i < 10; i += 1) {
      await caller.stream(targetAt(upstream.url), askFor(), abort.signal);
      await caller.complete(targetAt(upstream.url), askFor(), abort.signal);
    }
    expect(removed.mock.calls.length).toBe(added.mock.calls.length);
  });
});
