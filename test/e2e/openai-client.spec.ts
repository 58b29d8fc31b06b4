import OpenAI, { APIError, BadRequestError, NotFoundError } from 'openai';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant } from '../support/chat';
import { until } from '../support/until';
import { startUpstream, type Upstream } from '../support/upstream';

describe('the official OpenAI client', () => {
  let app: TestApp;
  let upstream: Upstream;
  let client: OpenAI;
  let model: string;
  const messages = [{ role: 'user' as const, content: 'Hi' }];

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-client-1' } });
    model = `lamb_assistant.${await makeAssistant(app)}`;
    client = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: app.adminKey, maxRetries: 0 });
  });
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  it('lists models', async () => {
    const ids: string[] = [];
    for await (const each of client.models.list()) ids.push(each.id);
    expect(ids).toContain(model);
    expect((await client.models.retrieve(model)).object).toBe('model');
  });

  it('completes', async () => {
    upstream.expect({ content: 'Hello.' });
    const answer = await client.chat.completions.create({ model, messages });
    expect(answer.choices[0]?.message.content).toBe('Hello.');
    expect(answer.usage?.total_tokens).toBe(9);
  });

  it('streams to the end, with every progress mode that keeps to chunks', async () => {
    for (const progress of ['comment', 'chunk', 'off']) {
      upstream.expect({ content: 'One two three.' });
      const stream = await client.chat.completions.create({
        model,
        messages,
        stream: true,
        stream_options: { include_usage: true, progress } as OpenAI.ChatCompletionStreamOptions,
      });
      let text = '';
      let finish: string | null = null;
      let tokens = 0;
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? '';
        finish = chunk.choices[0]?.finish_reason ?? finish;
        tokens = chunk.usage?.total_tokens ?? tokens;
      }
      expect([text, finish, tokens]).toEqual(['One two three.', 'stop', 9]);
    }
  });

  it('streams an assistant that calls functions: one id, one finish, figures summed', async () => {
    const id = await makeAssistant(app, { metadata: { tools: ['weather'] } });
    // A city that is no name: the function refuses it without asking anybody.
    upstream
      .expect({ content: 'Let me look.', toolCalls: [{ name: 'get_weather', arguments: '{"city":7}' }] })
      .expect({ content: 'I cannot know.' });
    const stream = client.chat.completions.stream({
      model: `lamb_assistant.${id}`,
      messages,
      stream_options: { include_usage: true },
    });
    const ids = new Set<string>();
    const finishes: string[] = [];
    stream.on('chunk', ({ id: own, choices: [choice] }) => {
      ids.add(own);
      if (choice?.finish_reason) finishes.push(choice.finish_reason);
    });
    const answer = await stream.finalChatCompletion();
    expect(answer.choices[0]?.message).toMatchObject({ content: 'Let me look.\n\nI cannot know.' });
    expect(answer.choices[0]?.message.tool_calls ?? []).toEqual([]);
    expect([ids.size, finishes]).toEqual([1, ['stop']]);
    const { run_id: runId } = answer as unknown as { run_id?: string };
    const run = await app.api('GET', `/api/v1/runs/${runId ?? String((await lastRun()).id)}`);
    expect(answer.usage).toEqual(run.json.usage);
    expect(answer.usage?.total_tokens).toBeGreaterThan(9);
  });

  const lastRun = async () => (await app.api('GET', '/api/v1/runs?limit=1')).json.items[0];

  it('assembles a tool call that the client itself offered', async () => {
    upstream.expect({ toolCalls: [{ name: 'weather', arguments: '{"city":"Basel"}' }] });
    const stream = client.chat.completions.stream({
      model,
      messages,
      tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }],
    });
    const answer = await stream.finalChatCompletion();
    expect(answer.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { name: 'weather', arguments: '{"city":"Basel"}' },
    });
  });

  it('aborts in the middle, and the vendor’s socket closes', async () => {
    upstream.expect({ content: 'word '.repeat(500), delayMs: 20 });
    const stream = await client.chat.completions.create({ model, messages, stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    const left = performance.now();
    stream.controller.abort();
    const closed = await upstream.requests[0]?.closedEarly;
    // The promise is 250 ms. A busy machine may be late; without the abort the answer takes 10 s.
    expect((closed ?? Infinity) - left).toBeLessThan(5_000);
    await until(() => upstream.active === 0);
  });

  it('parses errors: unknown model, bad body, vendor’s failure, and one in the middle of a stream', async () => {
    const unknown = client.chat.completions.create({ model: 'lamb_assistant.999999', messages });
    await expect(unknown).rejects.toThrow(NotFoundError);
    await expect(unknown).rejects.toMatchObject({ code: 'model_not_found', type: 'invalid_request_error' });
    const empty = client.chat.completions.create({ model, messages: [] });
    await expect(empty).rejects.toThrow(BadRequestError);
    await expect(empty).rejects.toMatchObject({ param: 'messages' });

    upstream.expect({ fault: 'unauthorized' });
    await expect(client.chat.completions.create({ model, messages })).rejects.toMatchObject({
      status: 502,
      code: 'upstream_auth',
    });

    upstream.expect({ fault: 'cut-mid-stream' });
    const stream = await client.chat.completions.create({ model, messages, stream: true });
    const read = async (): Promise<void> => {
      for await (const _chunk of stream);
    };
    const failure: unknown = await read().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(APIError);
    expect(failure).toMatchObject({ code: 'upstream_truncated' });
  });
});
