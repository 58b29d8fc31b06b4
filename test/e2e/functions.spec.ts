import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, streamed, user } from '../support/chat';
import { person } from '../support/people';
import { startUpstream, type Upstream } from '../support/upstream';
import { until } from '../support/until';

interface WeatherServer {
  readonly url: string;
  /** Cities asked for, as they came. */
  readonly asked: string[];
  /** Leaves requests without an answer. */
  hang: boolean;
  /** Requests left without an answer. */
  hanging: number;
  /** Status of every answer. */
  status: number;
  stop(): Promise<void>;
}

/** Open-Meteo as far as one city needs it. */
async function startWeather(): Promise<WeatherServer> {
  const server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    if (weather.hang) {
      weather.hanging += 1;
      return;
    }
    response.statusCode = weather.status;
    response.setHeader('content-type', 'application/json');
    if (pathname === '/v1/search') {
      const name = searchParams.get('name') ?? '';
      weather.asked.push(name);
      const known = ['Elx', 'Alcoi'].includes(name);
      const place = { name, latitude: 38.3, longitude: -0.7, country: 'Spain', country_code: 'ES', timezone: 'CET' };
      response.end(JSON.stringify(known ? { results: [place] } : {}));
      return;
    }
    response.end(
      JSON.stringify({
        timezone: 'Europe/Madrid',
        current_units: { temperature_2m: '°C' },
        current: { time: '2026-11-22T09:00', temperature_2m: 17.5, weather_code: 1 },
        daily: { time: [] },
      }),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const weather: WeatherServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    hang: false,
    hanging: 0,
    status: 200,
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
  return weather;
}

const weatherIn = (city: string, id = 'call_1') => ({
  id,
  name: 'get_weather',
  arguments: JSON.stringify({ city }),
});

const resultsOf = (body: any): any[] => body.messages.filter(({ role }: any) => role === 'tool');

describe('functions that the model calls', () => {
  let app: TestApp;
  let upstream: Upstream;
  let weather: WeatherServer;
  let id: number;
  let plain: number;

  beforeAll(async () => {
    upstream = await startUpstream();
    weather = await startWeather();
    app = await startApp({
      env: {
        OPENAI_BASE_URL: upstream.url,
        OPENAI_API_KEY: 'sk-canary-functions-1',
        WEATHER_API_URL: weather.url,
        TOOL_DEFAULT_TIMEOUT: '800',
      },
    });
    id = await makeAssistant(app, { metadata: { tools: ['weather'] } });
    plain = await makeAssistant(app);
  });
  beforeEach(() => {
    upstream.reset();
    weather.asked.length = 0;
    weather.hang = false;
    weather.hanging = 0;
    weather.status = 200;
  });
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await app.stop();
    await Promise.all([upstream.stop(), weather.stop()]);
  });

  const body = (more: object = {}) => ({ model: `lamb_assistant.${id}`, messages: [user('Weather in Elx?')], ...more });
  const ask = (more: object = {}) => app.api('POST', '/v1/chat/completions', body(more));
  const stream = (more: object = {}) => streamed(app, '/v1/chat/completions', body(more));
  const sent = (n: number) => upstream.requests[n]?.body as any;

  it('runs what the model asks for and gives it the result', async () => {
    upstream.expect({ toolCalls: [weatherIn('Elx')] }).expect({ content: 'It is 17.5 degrees.' });
    const answer = await ask();
    expect(answer.json.choices).toEqual([
      expect.objectContaining({
        finish_reason: 'stop',
        message: expect.objectContaining({ role: 'assistant', content: 'It is 17.5 degrees.' }),
      }),
    ]);
    expect(answer.json.choices[0].message.tool_calls).toBeUndefined();
    expect(sent(0).tools).toEqual([
      { type: 'function', function: expect.objectContaining({ name: 'get_weather', parameters: expect.anything() }) },
    ]);
    const [assistant, result] = sent(1).messages.slice(-2);
    expect(assistant).toMatchObject({ role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function' }] });
    expect(result).toMatchObject({ role: 'tool', tool_call_id: 'call_1' });
    expect(result.content).toContain('17.5');
  });

  it('streams every round as one answer: no calls, one id, one finish, figures summed', async () => {
    upstream
      .expect({ content: 'Let me look.', toolCalls: [weatherIn('Elx')] })
      .expect({ content: 'It is 17.5 degrees.' });
    const answer = await stream({ stream_options: { include_usage: true } });
    expect(answer.text).toBe('Let me look.\n\nIt is 17.5 degrees.');
    expect(answer.data.at(-1)).toBe('[DONE]');
    expect(answer.data.join('')).not.toContain('tool_calls');
    expect(new Set(answer.chunks.map((chunk) => chunk.id)).size).toBe(1);
    expect(answer.chunks.filter((chunk) => chunk.choices[0]?.finish_reason)).toHaveLength(1);
    expect(answer.chunks.filter((chunk) => chunk.choices[0]?.delta.role)).toHaveLength(1);
    const run = await app.api('GET', `/api/v1/runs/${answer.headers.get('x-run-id')}`);
    const [usage] = answer.chunks.filter((chunk) => chunk.choices.length === 0);
    expect(usage.usage).toEqual(run.json.usage);
    expect(sent(0).stream && sent(1).stream).toBe(true);
  });

  describe('a vendor that demands its thoughts and signatures back', () => {
    const signature = { google: { thought_signature: 'c2lnbmVk' } };
    const call = { ...{ id: 'call_1', type: 'function', extra_content: signature }, index: 0 };
    const called = { ...call, function: { name: 'get_weather', arguments: '{"city":"Elx"}' } };
    const usage = { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 };
    const whole = (message: object, finish_reason: string) => ({
      raw: JSON.stringify({ id: 'c', choices: [{ index: 0, message, finish_reason }], usage }),
      headers: { 'content-type': 'application/json' },
    });
    const chunks = (deltas: readonly object[], finish_reason: string) => ({
      raw: [...deltas.map((delta) => ({ delta, finish_reason: null })), { delta: {}, finish_reason }]
        .map((choice) => `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, ...choice }], usage })}\n\n`)
        .concat('data: [DONE]\n\n')
        .join(''),
      headers: { 'content-type': 'text/event-stream' },
    });
    const expectEchoed = (): void => {
      const [assistant] = sent(1).messages.slice(-2);
      expect(assistant).toMatchObject({ reasoning_content: 'I think, so', tool_calls: [{ extra_content: signature }] });
    };

    it('gets them with the results', async () => {
      upstream
        .expect(
          whole(
            { role: 'assistant', content: null, reasoning_content: 'I think, so', tool_calls: [called] },
            'tool_calls',
          ),
        )
        .expect(whole({ role: 'assistant', content: 'Warm.', reasoning_content: 'Done' }, 'stop'));
      expect((await ask()).json.choices[0].message.content).toBe('Warm.');
      expectEchoed();
    });

    it('gets them with the results of a stream, of which a student sees neither', async () => {
      await app.api('PUT', `/api/v1/assistants/${id}/publication`);
      const student = await person(app, { role: 'member' });
      upstream
        .expect(
          chunks(
            [
              { role: 'assistant', content: null, reasoning_content: '' },
              { content: null, reasoning_content: 'I think, ' },
              { content: null, reasoning_content: 'so' },
              { tool_calls: [called] },
            ],
            'tool_calls',
          ),
        )
        .expect(chunks([{ content: null, reasoning_content: 'I think again' }, { content: 'Warm.' }], 'stop'));
      const answer = await student.api('POST', '/v1/chat/completions', body({ stream: true }));
      expectEchoed();
      expect(answer.text).toContain('Warm.');
      expect(answer.text).not.toMatch(/I think|c2lnbmVk/);
    });
  });

  it('runs the calls of one round together and gives their results in order', async () => {
    upstream
      .expect({ toolCalls: [weatherIn('Elx', 'a'), weatherIn('Nowhere', 'b'), weatherIn('Alcoi', 'c')] })
      .expect({ content: 'Done.' });
    await ask();
    expect(resultsOf(sent(1)).map((message) => message.tool_call_id)).toEqual(['a', 'b', 'c']);
    const [first, second, third] = resultsOf(sent(1)).map((message) => message.content);
    expect(first).toContain('17.5');
    expect(second).toMatch(/^Error: /);
    expect(third).toContain('17.5');
  });

  it.each([
    ['no JSON', 'get_weather', '{"city":'],
    ['no arguments', 'get_weather', ''],
    ['an empty object', 'get_weather', '{}'],
    ['a list', 'get_weather', '["Elx"]'],
    ['a wrong type', 'get_weather', '{"city":7}'],
    ['an unknown name', 'get_wether', '{"city":"Elx"}'],
    ['__proto__', '__proto__', '{}'],
    ['constructor', 'constructor', '{}'],
    ['1 MB of arguments', 'get_weather', JSON.stringify({ city: 'x'.repeat(1_000_000) })],
  ])('tells the model what is wrong with %s, and goes on', async (_, name, text) => {
    upstream.expect({ toolCalls: [{ id: 'c', name, arguments: text }] }).expect({ content: 'Sorry.' });
    const answer = await ask();
    expect(answer.json.choices[0].message.content).toBe('Sorry.');
    const [result] = resultsOf(sent(1));
    expect(result.content).toMatch(/^Error: /);
    expect(result.content.length).toBeLessThan(1_000);
    // What goes back to the vendor is in a form that it takes.
    const [call] = sent(1).messages.at(-2).tool_calls;
    expect(JSON.parse(call.function.arguments)).toEqual(expect.any(Object));
    expect(weather.asked).toEqual([]);
  });

  it('cuts off a function that hangs, tells the model so, and counts it as failed', async () => {
    weather.hang = true;
    upstream.expect({ toolCalls: [weatherIn('Elx')] }).expect({ content: 'The weather service is silent.' });
    const answer = await ask();
    expect(answer.json.choices[0].message.content).toBe('The weather service is silent.');
    expect(resultsOf(sent(1))[0].content).toBe('Error: no answer within 800 ms');
    const run = await app.api('GET', `/api/v1/runs/${answer.json.run_id}`);
    expect(run.json.functions).toEqual([
      expect.objectContaining({
        name: 'get_weather',
        plugin: 'weather',
        round: 1,
        status: 'failed',
        code: 'tool.timeout',
      }),
    ]);
  });

  it('tells the model when the weather service is down', async () => {
    weather.status = 503;
    upstream.expect({ toolCalls: [weatherIn('Elx')] }).expect({ content: 'I cannot look now.' });
    const answer = await ask();
    expect(answer.json.choices[0].message.content).toBe('I cannot look now.');
    expect(sent(1).messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'call_1' });
    expect(sent(1).messages.at(-1).content).not.toContain('17.5');
    const run = await app.api('GET', `/api/v1/runs/${answer.json.run_id}`);
    expect(run.json).toMatchObject({ status: 'completed', functions: [{ plugin: 'weather', status: 'failed' }] });
  });

  it('makes an equal call once', async () => {
    upstream
      .expect({ toolCalls: [weatherIn('Elx', 'a'), weatherIn('Elx', 'b')] })
      .expect({ toolCalls: [weatherIn('Elx', 'a')] })
      .expect({ content: 'Done.' });
    const answer = await ask();
    expect(weather.asked).toEqual(['Elx']);
    expect(resultsOf(sent(2))).toHaveLength(3);
    expect(new Set(resultsOf(sent(2)).map((message) => message.tool_call_id)).size).toBe(3);
    const run = await app.api('GET', `/api/v1/runs/${answer.json.run_id}`);
    expect(run.json.functions.map((call: any) => call.cached)).toEqual([false, true, true]);
  });

  it('ends with an error of its own when the model still asks in the last round', async () => {
    for (let n = 0; n < 5; n += 1) upstream.expect({ toolCalls: [weatherIn(`City ${n}`)] });
    const answer = await ask();
    expect(answer.status).toBe(422);
    expect(answer.json.error.code).toBe('tool_loop.limit');
    for (let n = 0; n < 5; n += 1) upstream.expect({ toolCalls: [weatherIn(`City ${n}`)] });
    const live = await stream();
    expect(live.chunks.at(-1).error.code).toBe('tool_loop.limit');
    expect(live.data).not.toContain('[DONE]');
  });

  it('says in every progress mode what is called', async () => {
    const script = () =>
      upstream.expect({ toolCalls: [weatherIn('Elx'), weatherIn('?', 'b')] }).expect({ content: 'Ok.' });
    script();
    const status = await stream({ stream_options: { progress: 'status' } });
    expect(status.chunks.filter(({ type }) => type === 'status').map((frame) => [frame.status, frame.tool])).toEqual(
      expect.arrayContaining([
        ['tool_call', 'get_weather'],
        ['tool_complete', 'get_weather'],
        ['tool_error', 'get_weather'],
      ]),
    );
    script();
    const comment = await stream();
    expect(comment.comments).toEqual(
      expect.arrayContaining(['🔧 Calling get_weather...', '✅ get_weather completed', '❌ get_weather failed']),
    );
    script();
    const chunk = await stream({ stream_options: { progress: 'chunk' } });
    const events = chunk.chunks.filter(({ progress }) => progress).map(({ progress }) => progress);
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['llm.tool_call', 'tool.started', 'tool.completed', 'tool.failed']),
    );
    expect(events.find(({ type }) => type === 'tool.completed')).toMatchObject({
      index: 0,
      plugin: 'weather',
      placeholder: null,
      call: { id: 'call_1', name: 'get_weather', round: 1 },
    });
    script();
    const off = await stream({ stream_options: { progress: 'off' } });
    expect(off.text).toBe('Ok.');
    expect(off.chunks.some((each) => 'progress' in each)).toBe(false);
    expect(off.comments.join('')).not.toMatch(/🔧|✅|❌/u);
    expect(off.chunks.every(({ object }) => object === 'chat.completion.chunk')).toBe(true);
  });

  it('keeps the calls in the record and the report', async () => {
    upstream.expect({ toolCalls: [weatherIn('Elx')] }).expect({ content: 'Ok.' });
    const { json } = await ask();
    const run = await app.api('GET', `/api/v1/runs/${json.run_id}`);
    expect(run.json.tools).toEqual([]);
    expect(run.json.functions).toEqual([
      expect.objectContaining({ index: 0, round: 1, name: 'get_weather', plugin: 'weather', status: 'completed' }),
    ]);
    const report = await app.api('GET', `/api/v1/runs/${json.run_id}/report`, undefined, { accept: 'text/markdown' });
    expect(report.text).toContain('## Function Calls');
    expect(report.text).toContain('{"city":"Elx"}');
  });

  it('lists the functions in a verbose report, without asking the model', async () => {
    const answer = await ask({ verbose: true });
    expect(answer.json.choices[0].message.content).toContain('- `get_weather` (weather)');
  });

  it('refuses a client’s own tools beside them, and passes them on without them', async () => {
    const tools = [{ type: 'function', function: { name: 'mine', parameters: { type: 'object' } } }];
    const refused = await ask({ tools });
    expect(refused.status).toBe(400);
    expect(refused.json.error).toMatchObject({ code: 'validation_failed', param: 'tools' });
    expect((await ask({ tool_choice: 'required' })).status).toBe(400);
    upstream.expect({ toolCalls: [{ id: 'x', name: 'mine', arguments: '{}' }] });
    const passed = await ask({ tools, model: `lamb_assistant.${plain}` });
    expect(sent(0).tools).toEqual(tools);
    expect(passed.json.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ id: 'x', function: { name: 'mine' } }] },
    });
    upstream.expect({ toolCalls: [{ id: 'x', name: 'mine', arguments: '{}' }] });
    const live = await stream({ tools, model: `lamb_assistant.${plain}` });
    expect(live.data.join('')).toContain('"tool_calls"');
  });

  it('offers none when the client wants none', async () => {
    upstream.expect({ content: 'I cannot know.' });
    await ask({ tool_choice: 'none', parallel_tool_calls: false });
    expect(sent(0).tools).toBeUndefined();
    expect(sent(0).tool_choice).toBeUndefined();
    expect(sent(0).parallel_tool_calls).toBeUndefined();
  });

  it('does not run what an answer that broke off half asks for', async () => {
    upstream.expect({ content: 'I', toolCalls: [weatherIn('Elx')], finishReason: 'length' });
    const answer = await stream();
    expect(answer.chunks.at(-1).choices[0].finish_reason).toBe('length');
    expect(answer.data.join('')).not.toContain('tool_calls');
    expect(weather.asked).toEqual([]);
  });

  it('stops a function when the client leaves', async () => {
    weather.hang = true;
    upstream.expect({ toolCalls: [weatherIn('Elx')] });
    const controller = new AbortController();
    const response = await fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body({ stream: true })),
      signal: controller.signal,
    });
    const runId = response.headers.get('x-run-id');
    await until(() => weather.hanging > 0);
    controller.abort();
    const run = await until(async () => {
      const { json } = await app.api('GET', `/api/v1/runs/${runId}`);
      return json.finished_at ? json : null;
    });
    expect(run).toMatchObject({ status: 'cancelled', functions: [{ status: 'failed', code: 'tool.cancelled' }] });
  });
});

describe('the time of a run that may start others', () => {
  let app: TestApp;
  let upstream: Upstream;

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({
      env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-functions-2', TOOL_RUN_TIMEOUT: '1000' },
    });
  });
  beforeEach(() => upstream.reset());
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  const SLOW = { content: 'late', firstDelayMs: 300_000 };

  it('ends one with functions whose model is slow, and one whose tool asks a slow assistant', async () => {
    const target = await makeAssistant(app, { name: 'Slow' });
    const tools = [
      { plugin: 'assistant', placeholder: '1_tool_result', enabled: true, config: { assistant_id: target } },
    ];
    const ids = [
      await makeAssistant(app, { metadata: { tools: ['weather'] } }),
      await makeAssistant(app, {
        prompt_template: '{1_tool_result}{user_input}',
        metadata: { assistant_type: 'multi_tool', tools },
      }),
    ];
    for (const id of ids) {
      upstream.reset();
      upstream.expect(SLOW);
      const answer = await app.api('POST', '/v1/chat/completions', {
        model: `lamb_assistant.${id}`,
        messages: [user('Hi')],
      });
      expect(answer.json.error).toMatchObject({ code: 'tool_loop.timeout' });
      expect(answer.status).toBe(422);
      await upstream.requests[0]?.closedEarly;
    }
  });

  it('does not end one that starts none', async () => {
    const id = await makeAssistant(app);
    upstream.expect({ content: 'in time', firstDelayMs: 1_200 });
    const answer = await streamed(app, '/v1/chat/completions', {
      model: `lamb_assistant.${id}`,
      messages: [user('Hi')],
    });
    expect(answer.text).toBe('in time');
  });
});
