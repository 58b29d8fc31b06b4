import { OLLAMA } from '../../src/connectors/catalog/ollama';
import type { OutboundClient } from '../../src/infrastructure/outbound';
import { startUpstream, type Upstream } from '../support/upstream';
import { askFor, ConnectorCaller, outboundFor, QUICK_LIMITS, targetAt } from '../support/upstream-caller';
import { UPSTREAM_CANARY } from '../support/upstream-faults';

let upstream: Upstream;
let outbound: OutboundClient;

beforeAll(async () => {
  upstream = await startUpstream();
});
beforeEach(() => {
  upstream.reset();
  outbound = outboundFor();
});
afterEach(() => outbound.onModuleDestroy());
afterAll(() => upstream.stop());

const line = (content: string, more: object = {}) => ({
  model: 'llama3.2',
  created_at: '2026-01-01T00:00:00Z',
  message: { role: 'assistant', content },
  done: false,
  ...more,
});
const DONE = { done: true, done_reason: 'stop', prompt_eval_count: 11, eval_count: 7 };
const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

/** Ollama tells by `stream` which of the two it wants; the script does not see it, so the test says. */
const streamed = (...lines: readonly (object | string)[]) =>
  upstream.expect({
    raw: lines.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)) + '\n').join(''),
    headers: { 'content-type': 'application/x-ndjson' },
  });
const plain = (body: object, status = 200) => upstream.expect({ raw: JSON.stringify(body), status });

describe('the ollama connector', () => {
  let caller: ConnectorCaller;
  const target = () => targetAt(upstream.origin, { apiKey: null });

  beforeEach(() => {
    caller = new ConnectorCaller(OLLAMA.connect({ outbound, limits: QUICK_LIMITS }));
  });
  afterEach(() => upstream.verify());

  it('asks the native API with its options and reports what Ollama counted', async () => {
    plain(line('Because.', DONE));
    const answer = await caller.complete(target(), askFor({ params: { temperature: 0.1, max_tokens: 9 } }));
    expect(answer).toMatchObject({ text: 'Because.', finishReason: 'stop', usage: USAGE });
    expect(upstream.requests[0]).toMatchObject({
      path: '/api/chat',
      body: { model: 'scripted', stream: false, options: { temperature: 0.1, num_predict: 9 } },
    });
    expect(upstream.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('counts no tokens that cannot be', async () => {
    plain(line('Because.', { ...DONE, prompt_eval_count: -11 }));
    const answer = await caller.complete(target());
    expect(answer.usage).toEqual({ prompt_tokens: 0, completion_tokens: 7, total_tokens: 7 });
  });

  it('streams, with the reason it ended', async () => {
    streamed(line('Be'), line('cause.'), line('', { ...DONE, done_reason: 'length' }));
    const outcome = await caller.stream(target());
    expect(outcome).toMatchObject({ text: 'Because.', finishReason: 'length', error: null });
    expect(outcome.chunks.at(-1)?.usage).toEqual(USAGE);
  });

  it('turns tool calls into OpenAI’s, plain and streamed', async () => {
    const call = { function: { name: 'f', arguments: { city: 'Elx' } } };
    const calling = { message: { role: 'assistant', content: '', tool_calls: [call] } };
    plain(line('', { ...calling, ...DONE }));
    const answer = await caller.complete(target());
    expect(answer.finishReason).toBe('tool_calls');
    expect(answer.body).toMatchObject({
      choices: [
        {
          message: {
            content: null,
            tool_calls: [{ type: 'function', function: { name: 'f', arguments: '{"city":"Elx"}' } }],
          },
        },
      ],
    });
    streamed(line('', calling), line('', calling), line('', DONE));
    const outcome = await caller.stream(target());
    expect(outcome.finishReason).toBe('tool_calls');
    const indexes = outcome.chunks.flatMap(({ data }) => data.match(/"tool_calls":\[\{"index":\d/g) ?? []);
    expect(indexes).toEqual(['"tool_calls":[{"index":0', '"tool_calls":[{"index":1']);
  });

  it.each([
    ['an error instead of an answer', () => plain({ error: `model failed ${UPSTREAM_CANARY}` }), 'upstream_error'],
    ['an unknown model', () => plain({ error: 'model "x" not found, try pulling it first' }, 404), 'upstream_rejected'],
    ['an object of something else', () => plain({}), 'upstream_bad_response'],
    ['an answer that is not finished', () => plain(line('Half an ')), 'upstream_truncated'],
    ['HTML', () => upstream.expect({ raw: '<html>' }), 'upstream_bad_response'],
    ['a fault of the server', () => upstream.expect({ fault: 'server-error' }, { times: 3 }), 'upstream_error'],
    ['a reset connection', () => upstream.expect({ fault: 'reset' }, { times: 3 }), 'upstream_error'],
    ['no answer', () => upstream.expect({ fault: 'no-answer' }), 'upstream_timeout'],
  ])('%s is an error and never chat text', async (_, script, code) => {
    script();
    const error = await caller.failure(target());
    expect(error.code).toBe(code);
    expect(error.detail).not.toContain(UPSTREAM_CANARY);
  });

  it.each([
    ['an error midway', [line('Half an '), { error: UPSTREAM_CANARY }], 'upstream_error'],
    ['an end without done', [line('Half an ')], 'upstream_truncated'],
    ['a garbled line', [line('Half an '), '{"message": {'], 'upstream_truncated'],
    ['another object', [line('Half an '), { hello: 1 }], 'upstream_bad_response'],
  ])('%s keeps the partial text', async (_, lines, code) => {
    streamed(...lines);
    const outcome = await caller.stream(target());
    expect(outcome).toMatchObject({ text: 'Half an ', finishReason: null, error: { code } });
    expect(outcome.error?.detail).not.toContain(UPSTREAM_CANARY);
  });

  it('does not fetch an image that is only an address', async () => {
    const content = [{ type: 'image_url', image_url: { url: 'http://127.0.0.1/x.png' } }];
    const request = askFor({ messages: [{ role: 'user', content }] });
    await expect(caller.failure(target(), request)).resolves.toMatchObject({ code: 'upstream_rejected' });
    await expect(caller.stream(target(), request)).resolves.toMatchObject({ error: { code: 'upstream_rejected' } });
    expect(upstream.requests).toEqual([]);
  });
});
