import { StreamsInFlight } from '../../src/completions';
import { startApp, type TestApp } from '../support/app';
import { eventually, makeAssistant, multiTool, streamed, user } from '../support/chat';
import { type KbServer, startKbServer } from '../support/kb-server';
import { startUpstream, type Upstream } from '../support/upstream';

/** The promise is 250 ms; a busy machine may be late, and whoever does not heed the abort takes 5 s and more. */
const ABORTED_IN_MS = 2_000;

describe('a client that leaves', () => {
  let app: TestApp;
  let upstream: Upstream;
  let kb: KbServer;
  let classic: number;
  let slowTool: number;

  beforeAll(async () => {
    upstream = await startUpstream();
    kb = await startKbServer({ delayMs: 5_000 });
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-abort-1' } });
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

  function leave(id: number, stream: boolean, when: () => unknown): Promise<number> {
    const controller = new AbortController();
    const request = fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      signal: controller.signal,
      headers: { authorization: `Bearer ${app.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: `lamb_assistant.${id}`, stream, messages: [user('Hi')] }),
    }).then((response) => response.text());
    return eventually(when).then(async () => {
      controller.abort();
      const left = performance.now();
      await expect(request).rejects.toThrow();
      return left;
    });
  }

  const lastRun = async (id: number) =>
    eventually(async () => {
      const [run] = (await app.api('GET', `/api/v1/runs?assistant_id=${id}&limit=1`)).json.items;
      return run.status === 'running' ? null : run;
    });

  it.each([true, false])('closes the vendor’s socket at once (stream: %s)', async (stream) => {
    upstream.expect({ content: 'word '.repeat(1_000), delayMs: 20, firstDelayMs: stream ? 0 : 10_000 });
    const left = await leave(classic, stream, () => upstream.active === 1);
    const closed = await upstream.requests[0]?.closedEarly;
    expect((closed ?? Infinity) - left).toBeLessThan(ABORTED_IN_MS);
    expect(await lastRun(classic)).toMatchObject({ status: 'cancelled', error_code: 'cancelled', stream });
    expect(app.get(StreamsInFlight).size).toBe(0);
  });

  it('stops the tools that run, and the model is not asked', async () => {
    const before = kb.abandoned;
    const left = await leave(slowTool, true, () => kb.queries > before);
    await eventually(() => kb.abandoned === before + 1);
    expect(performance.now() - left).toBeLessThan(ABORTED_IN_MS);
    expect(await lastRun(slowTool)).toMatchObject({ status: 'cancelled' });
    expect(upstream.requests).toHaveLength(0);
  });
});

describe('a server that stops', () => {
  it('lets short streams finish, ends the rest with a word, and takes no new ones', async () => {
    const upstream = await startUpstream();
    const app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-abort-2' } });
    try {
      const body = { model: `lamb_assistant.${await makeAssistant(app)}`, messages: [user('Hi')] };
      upstream.expect({ content: 'word '.repeat(1_000), delayMs: 20 }).expect({ content: 'a short one', delayMs: 50 });
      const endless = streamed(app, '/v1/chat/completions', body);
      await eventually(() => upstream.active === 1);
      const short = streamed(app, '/v1/chat/completions', body);
      await eventually(() => upstream.active === 2);
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
