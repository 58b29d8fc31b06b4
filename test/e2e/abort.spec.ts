import { StreamsInFlight } from '../../src/answering';
import { Admission } from '../../src/infrastructure/admission';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, multiTool, streamed, user } from '../support/chat';
import { until } from '../support/until';
import { type KbServer, startKbServer } from '../support/kb-server';
import { startUpstream, type Upstream } from '../support/upstream';

describe('a client that leaves', () => {
  let app: TestApp;
  let upstream: Upstream;
  let kb: KbServer;
  let classic: number;
  let slowTool: number;

  beforeAll(async () => {
    upstream = await startUpstream();
    kb = await startKbServer({ delayMs: 5_000 });
    app = await startApp({
      env: {
        OPENAI_BASE_URL: upstream.url,
        OPENAI_API_KEY: 'sk-canary-abort-1',
        RUN_COMPLETIONS: '1',
        RUN_COMPLETIONS_WAITING: '0',
      },
    });
    await app.api('PATCH', '/api/v1/organizations/default', { knowledge_base: { server_url: kb.url, api_token: 't' } });
    classic = await makeAssistant(app);
    const tool = {
      plugin: 'simple_rag',
      placeholder: '1_context',
      enabled: true,
      cache: false,
      config: { collections: ['x'] },
    };
    slowTool = await makeAssistant(app, { prompt_template: '{1_context}{user_input}', metadata: multiTool([tool]) });
  });
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await app.stop();
    await Promise.all([upstream.stop(), kb.stop()]);
  });

  function leave(id: number, stream: boolean, when: () => unknown): Promise<void> {
    const controller = new AbortController();
    const request = fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      signal: controller.signal,
      headers: { authorization: `Bearer ${app.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: `lamb_assistant.${id}`, stream, messages: [user('What is osmosis?')] }),
    }).then((response) => response.text());
    return until(when).then(async () => {
      controller.abort();
      await expect(request).rejects.toThrow();
    });
  }

  const lastRun = async (id: number) =>
    until(async () => {
      const [run] = (await app.api('GET', `/api/v1/runs?assistant_id=${id}&limit=1`)).json.items;
      return run.status === 'running' ? null : run;
    });

  it.each([true, false])('closes the vendor’s socket at once (stream: %s)', async (stream) => {
    upstream.expect({ content: 'word '.repeat(20_000), delayMs: 20, firstDelayMs: stream ? 0 : 120_000 });
    await leave(classic, stream, () => upstream.active === 1);
    await upstream.requests[0]?.closedEarly;
    expect(await lastRun(classic)).toMatchObject({ status: 'cancelled', error_code: 'cancelled', stream });
    expect(app.get(StreamsInFlight).size).toBe(0);
  });

  it('stops the tools that run, and the model is not asked', async () => {
    const before = kb.abandoned;
    await leave(slowTool, true, () => kb.queries > before);
    await until(() => kb.abandoned === before + 1);
    expect(await lastRun(slowTool)).toMatchObject({ status: 'cancelled' });
    expect(upstream.requests).toHaveLength(0);
  });

  describe('where one completion at once is allowed', () => {
    const inUse = (): number => app.get(Admission).placesHeld();

    it('refuses another one at every door, and frees the place when the client has left', async () => {
      upstream.expect({ content: 'word '.repeat(1_000), delayMs: 20 });
      const controller = new AbortController();
      const body = { model: `lamb_assistant.${classic}`, messages: [user('What is osmosis?')] };
      const running = fetch(`${app.url}/v1/chat/completions`, {
        method: 'POST',
        signal: controller.signal,
        headers: { authorization: `Bearer ${app.adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, stream: true }),
      }).then((response) => response.text());
      await until(() => upstream.active === 1);
      for (const path of [
        '/v1/chat/completions',
        `/api/v1/assistants/${classic}/completions`,
        `/lamb/v1/completions?assistant=${classic}`,
      ])
        for (const stream of [true, false]) {
          const answer = await app.api('POST', path, { ...body, stream });
          expect([path, answer.status]).toEqual([path, 503]);
          expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
          expect(answer.text).toContain('overloaded');
        }
      const call = { name: `assistant_${classic}`, arguments: { query: 'Hi' } };
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
      const accept = 'application/json, text/event-stream';
      expect((await app.api('POST', '/mcp', message, { accept })).text).toContain('overloaded');
      controller.abort();
      await expect(running).rejects.toThrow();
      await until(() => inUse() === 0);
    });

    it('lets the one call another assistant, and frees the place after an answer and after a failure', async () => {
      const entry = { type: 'assistant', assistant_id: classic, name: 'helper', description: 'helps' };
      const calling = await makeAssistant(app, { metadata: multiTool([], { functions: [entry] }) });
      const toolCalls = [{ id: 'c1', name: `call_assistant_${classic}`, arguments: '{"query":"x"}' }];
      upstream.expect({ toolCalls }).expect({ content: 'inner' }).expect({ content: 'outer' });
      const body = { messages: [user('What is osmosis?')] };
      const answer = await app.api('POST', `/api/v1/assistants/${calling}/completions`, body);
      expect([answer.status, answer.json.choices?.[0]?.message?.content]).toEqual([200, 'outer']);
      await until(() => inUse() === 0);
      upstream.expect({ fault: 'unauthorized' });
      expect((await app.api('POST', `/api/v1/assistants/${classic}/completions`, body)).status).toBe(502);
      await until(() => inUse() === 0);
    });
  });
});

describe('a server that stops', () => {
  it('lets short streams finish, ends the rest with a word, and takes no new ones', async () => {
    const upstream = await startUpstream();
    const app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-abort-2' } });
    try {
      const body = { model: `lamb_assistant.${await makeAssistant(app)}`, messages: [user('What is osmosis?')] };
      upstream.expect({ content: 'word '.repeat(20_000), delayMs: 20 }).expect({ content: 'a short one', delayMs: 50 });
      const endless = streamed(app, '/v1/chat/completions', body);
      await until(() => upstream.active === 1);
      const short = streamed(app, '/v1/chat/completions', body);
      await until(() => upstream.active === 2);
      const draining = app.get(StreamsInFlight).drain(1_000);
      const late = await app.api('POST', '/v1/chat/completions', body);
      expect([late.status, late.json.error.code]).toEqual([503, 'server_shutdown']);
      expect((await short).data.at(-1)).toBe('[DONE]');
      await draining;
      const cut = await endless;
      expect(cut.text).toContain('word word');
      expect(cut.chunks.at(-1)).toMatchObject({ error: { code: 'server_shutdown' } });
      expect(cut.data).not.toContain('[DONE]');
      upstream.verify();
    } finally {
      await app.stop();
      await upstream.stop();
    }
  });
});
