import { startApp, type TestApp } from '../support/app';
import { makeAssistant, makeMember, multiTool, user } from '../support/chat';
import { startUpstream, type Upstream } from '../support/upstream';

describe('a completion', () => {
  let app: TestApp;
  let upstream: Upstream;
  let classic: number;

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-completions-1' } });
    classic = await makeAssistant(app);
  });
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  const complete = (body: object, headers?: Record<string, string>) =>
    app.api(
      'POST',
      '/v1/chat/completions',
      { model: `lamb_assistant.${classic}`, messages: [user('Hi')], ...body },
      headers,
    );

  it('answers as OpenAI does, with the run and its sources beside', async () => {
    upstream.expect({ content: 'Hello.', model: 'gpt-4o-mini-2024' });
    const { status, headers, json } = await complete({});
    expect(status).toBe(200);
    expect(json).toMatchObject({
      object: 'chat.completion',
      model: 'gpt-4o-mini-2024',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 },
      sources: [],
    });
    expect(headers.get('x-run-id')).toBe(json.run_id);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(upstream.requests[0]?.body.messages).toEqual([
      { role: 'system', content: 'You are kind.' },
      { role: 'user', content: 'Question: \n\nHi\n\n' },
    ]);
  });

  it('passes the vendor what is the vendor’s and keeps what is ours', async () => {
    upstream.expect({ content: 'x' });
    await complete({
      temperature: 0.3,
      n: 1,
      presence_penalty: 1,
      user: 'u',
      metadata: { a: 'b' },
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
      a_parameter_of_tomorrow: [1],
      verbose: false,
      stream_options: { progress: 'off' },
    });
    const { messages: _messages, ...sent } = upstream.requests[0]?.body ?? {};
    expect(sent).toEqual({
      model: 'gpt-4o-mini',
      temperature: 0.3,
      n: 1,
      presence_penalty: 1,
      user: 'u',
      metadata: { a: 'b' },
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
      a_parameter_of_tomorrow: [1],
    });
  });

  it('refuses parts that an assistant without vision cannot read, each by its path, and asks nobody', async () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
      { type: 'input_audio', input_audio: { data: '', format: 'wav' } },
    ];
    const body = { messages: [{ role: 'user', content }] };
    const refused = await app.api('POST', `/api/v1/assistants/${classic}/completions`, body);
    expect([refused.status, refused.json.code]).toEqual([400, 'unsupported_content']);
    expect(refused.json.errors.map(({ path }: { path: string }) => path)).toEqual([
      'messages[0].content[1]',
      'messages[0].content[2]',
    ]);
    expect(upstream.requests).toHaveLength(0);
  });

  it('answers on the door that names the assistant in its path, and under the alias of the model', async () => {
    upstream.expect({ content: 'one' }).expect({ content: 'two' });
    const one = await app.api('POST', `/api/v1/assistants/${classic}/completions`, { messages: [user('Hi')] });
    expect(one.json.choices[0].message.content).toBe('one');
    const two = await complete({ model: `assistant.${classic}` });
    expect(two.json.choices[0].message.content).toBe('two');
  });

  it('lists the assistants as models, one and all', async () => {
    const list = await app.api('GET', '/v1/models');
    const model = list.json.data.find(({ id }: { id: string }) => id === `lamb_assistant.${classic}`);
    expect(list.json.object).toBe('list');
    expect(model).toMatchObject({
      object: 'model',
      owned_by: 'default',
      capabilities: { vision: false, image_generation: false, tool_use: false },
    });
    expect(Number.isInteger(model.created)).toBe(true);
    expect((await app.api('GET', `/v1/models/lamb_assistant.${classic}`)).json.id).toBe(model.id);
    expect((await app.api('GET', '/v1/models/lamb_assistant.999999')).json.error.code).toBe('model_not_found');
  });

  it('lists the models page by page', async () => {
    const all = (await app.api('GET', '/v1/models?client=any')).json;
    const first = (await app.api('GET', '/v1/models?limit=1')).json;
    expect(all.has_more).toBe(false);
    expect([first.data.map(({ id }: { id: string }) => id), first.has_more]).toEqual([
      [all.data[0].id],
      all.data.length > 1,
    ]);
    const rest = (await app.api('GET', `/v1/models?after=${first.data[0].id}`)).json;
    expect(rest.data.map(({ id }: { id: string }) => id)).toEqual(
      all.data.slice(1).map(({ id }: { id: string }) => id),
    );
    expect((await app.api('GET', '/v1/models?limit=0')).status).toBe(400);
    expect((await app.api('GET', '/v1/models?after=gpt-4o')).status).toBe(404);
  });

  it.each(['gpt-4o', 'lamb_assistant.999999', 'lamb_assistant.99999999999'])(
    'does not know the model %s',
    async (model) => {
      const { status, json } = await complete({ model });
      expect(status).toBe(404);
      expect(json.error).toMatchObject({ type: 'invalid_request_error', code: 'model_not_found' });
    },
  );

  it('lists every problem of a body in OpenAI’s shape', async () => {
    const { status, json } = await complete({ messages: [], temperature: 'hot' });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ type: 'invalid_request_error', code: 'validation_failed', param: 'messages' });
    expect(json.error.message).toContain('messages: must not be empty');
    expect(json.error.message).toContain('temperature: must be number or null');
    const noModel = await app.api('POST', '/v1/chat/completions', { messages: [] });
    expect(noModel.json.error.param).toBe('model');
    expect(noModel.json.error.message).toContain('model: is required; messages: must not be empty');
  });

  it('lists them as problem details on the house API', async () => {
    const { status, headers, json } = await app.api('POST', `/api/v1/assistants/${classic}/completions`, {
      messages: [],
    });
    expect(status).toBe(400);
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect(json.errors).toEqual([{ path: 'messages', message: 'must not be empty' }]);
    expect((await app.api('POST', '/api/v1/assistants/abc/completions', { messages: [user('x')] })).status).toBe(404);
  });

  it('takes 10,000 messages, and names the limit beyond', async () => {
    upstream.expect({ content: 'long' });
    const messages = Array.from({ length: 10_000 }, (_, n) => user(`m${n}`));
    expect((await complete({ messages })).json.choices[0].message.content).toBe('long');
    expect(upstream.requests[0]?.body.messages).toHaveLength(10_001);
    const refused = await complete({ messages: [...messages, user('one more')] });
    expect(refused.status).toBe(400);
    expect(refused.json.error.message).toContain('10000');
  });

  it('refuses multi-tool assistants while the organization has them switched off', async () => {
    const id = await makeAssistant(app, { metadata: multiTool([]) });
    await app.api('PATCH', '/api/v1/organizations/default', { features: { multi_tool: false } });
    const refused = await complete({ model: `lamb_assistant.${id}` });
    expect(refused.status).toBe(403);
    expect(refused.json.error.code).toBe('feature_disabled');
    const listed = (await app.api('GET', '/v1/models')).json.data.map((each: { id: string }) => each.id);
    expect(listed).toContain(`lamb_assistant.${classic}`);
    expect(listed).not.toContain(`lamb_assistant.${id}`);
    expect((await app.api('GET', `/v1/models/lamb_assistant.${id}`)).json.error.code).toBe('model_not_found');
    upstream.expect({ content: 'classic goes on' });
    expect((await complete({})).status).toBe(200);
    await app.api('PATCH', '/api/v1/organizations/default', { features: { multi_tool: true } });
  });

  it('is for those who may use the assistant, and for keys that may chat', async () => {
    const member = await makeMember(app, 'member');
    expect((await complete({}, member.headers)).status).toBe(404);
    expect((await app.api('GET', '/v1/models', undefined, member.headers)).json.data).toEqual([]);
    const reader = await makeMember(app, 'teacher', ['read']);
    expect((await complete({}, reader.headers)).status).toBe(403);
    expect((await complete({}, { authorization: 'Bearer bw_nobody' })).status).toBe(401);
  });

  it.each([
    ['unauthorized', 502, 'upstream_auth'],
    ['bad-request', 400, 'upstream_rejected'],
    ['html', 502, 'upstream_bad_response'],
  ] as const)('says what the vendor did when it is %s, never in its words', async (fault, status, code) => {
    upstream.expect({ fault });
    const answer = await complete({});
    expect(answer.status).toBe(status);
    expect(answer.json.error.code).toBe(code);
    const run = await app.api('GET', `/api/v1/runs/${answer.headers.get('x-run-id')}`);
    expect(run.json).toMatchObject({ status: 'failed', error_code: code });
  });

  it('hands on how long the vendor wants to be left alone', async () => {
    upstream.expect({ fault: 'rate-limited', retryAfter: 3600 });
    const answer = await complete({});
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('3600');
    expect(answer.json.error.code).toBe('upstream_rate_limited');
  });

  it('gives the same answer again under the same idempotency key, in a stream too', async () => {
    upstream.expect({ content: 'once' }).expect({ content: 'streamed once' });
    for (const stream of [false, true]) {
      const headers = { 'idempotency-key': `key-${stream}` };
      const first = await complete({ stream }, headers);
      const again = await complete({ stream }, headers);
      expect(again.text).toBe(first.text);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
      expect((await complete({ stream, n: 1 }, headers)).status).toBe(422);
    }
  });
});
