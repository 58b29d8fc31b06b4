import { randomBytes } from 'node:crypto';
import { StreamsInFlight } from '../../src/answering';
import { ActiveRuns } from '../../src/runs/run';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, multiTool, streamed, user } from '../support/chat';
import { until } from '../support/until';
import { type KbServer, startKbServer } from '../support/kb-server';
import { flawsOf, follow, readEvents } from '../support/run-events';
import { startUpstream, type Upstream } from '../support/upstream';

const RUNS = 20;

describe('a run that is cancelled', () => {
  let app: TestApp;
  let upstream: Upstream;
  let kb: KbServer;
  let id: number;
  let slowTool: number;

  beforeAll(async () => {
    upstream = await startUpstream();
    kb = await startKbServer({ delayMs: 5_000 });
    app = await startApp({
      env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-runs-4', RUN_CONCURRENCY: '10' },
    });
    await app.api('PATCH', '/api/v1/organizations/default', { knowledge_base: { server_url: kb.url, api_token: 't' } });
    id = await makeAssistant(app);
    const tool = { plugin: 'simple_rag', placeholder: '1_context', enabled: true, cache: false };
    slowTool = await makeAssistant(app, {
      prompt_template: '{1_context}{user_input}',
      metadata: multiTool([{ ...tool, config: { collections: ['x'] } }]),
    });
  });
  beforeEach(() => {
    upstream.reset();
    upstream.always({ content: 'word '.repeat(20_000), delayMs: 20 });
  });
  afterAll(async () => {
    await app.stop();
    await Promise.all([upstream.stop(), kb.stop()]);
  });

  const start = async (assistant = id): Promise<string> => {
    const body = { messages: [user('A question')] };
    // A busy database refuses some with 503; a client asks again.
    const run = await until(async () => {
      const { status, json } = await app.api('POST', `/api/v1/assistants/${assistant}/runs`, body);
      return status === 503 ? null : json.id;
    });
    return run as string;
  };
  const cancel = (run: string) => app.api('POST', `/api/v1/runs/${run}/cancel`);
  const events = (run: string) => readEvents(app, `${run}/events`);

  it('lets go of the vendor, tells its readers, and stays cancelled', async () => {
    const run = await start();
    const following = await follow(app, `${run}/events`);
    await until(() => following.frames.some(({ event }) => event === 'llm.delta'));
    expect((await cancel(run)).status).toBe(202);
    await upstream.requests[0]?.closedEarly;
    await following.ended;
    expect(flawsOf(following.frames)).toEqual([]);
    expect(following.frames.at(-1)?.data).toMatchObject({ type: 'run.cancelled', reason: /who asked/ });
    const again = await cancel(run);
    expect([again.status, again.json.status]).toEqual([202, 'cancelled']);
    expect((await app.api('GET', `/api/v1/runs/${run}`)).json).toMatchObject({
      status: 'cancelled',
      error_code: 'cancelled',
      answer: expect.stringMatching(/^word/),
    });
  });

  it('lets go of a tool that takes its time, and never asks the vendor', async () => {
    const before = kb.queries;
    const run = await start(slowTool);
    await until(() => kb.queries > before);
    await cancel(run);
    expect((await events(run)).types.at(-1)).toBe('run.cancelled');
    await until(() => kb.abandoned > 0);
    expect(upstream.requests).toHaveLength(0);
  });

  it('cannot be one that has ended otherwise', async () => {
    upstream.expect({ content: 'short' });
    const run = await start();
    await events(run);
    const { status, json } = await cancel(run);
    expect([status, json.code]).toEqual([409, 'run_ended']);
  });

  it('may be one that answers a request: its stream says so and ends', async () => {
    const answer = streamed(app, '/v1/chat/completions', { model: `lamb_assistant.${id}`, messages: [user('Hi')] });
    const run = await until(async () => {
      const { items } = (await app.api('GET', '/api/v1/runs?status=running')).json;
      return upstream.active > 0 ? (items[0]?.id as string | undefined) : undefined;
    });
    expect((await cancel(run)).status).toBe(202);
    await upstream.requests[0]?.closedEarly;
    const { chunks, data } = await answer;
    expect(chunks.at(-1)).toMatchObject({ error: { code: 'cancelled' } });
    expect(data).not.toContain('[DONE]');
    expect((await events(run)).types.at(-1)).toBe('run.cancelled');
  });

  it(`is any of ${RUNS} at any moment: each ends once, and nothing is left open`, async () => {
    const runs = await Promise.all(Array.from({ length: RUNS }, () => start()));
    const moments = runs.map(() => Math.random() * 400);
    await Promise.all(
      runs.map(async (run, n) => {
        await new Promise((next) => setTimeout(next, moments[n]));
        await until(async () => (await cancel(run)).status === 202);
      }),
    );
    for (const run of runs) {
      const { frames } = await events(run);
      expect(flawsOf(frames)).toEqual([]);
      expect(frames.at(-1)?.event).toBe('run.cancelled');
    }
    await until(() => upstream.active === 0);
    expect((await app.api('GET', '/api/v1/runs?status=running')).json.total).toBe(0);
    expect((await app.api('GET', '/api/v1/runs?status=queued')).json.total).toBe(0);
    await until(() => app.get(ActiveRuns).size === 0);
    expect(app.get(StreamsInFlight).size).toBe(0);
  });
});

describe('a server that stops', () => {
  it('ends what goes on in the background with a word, and leaves what waits to its next start', async () => {
    const upstream = await startUpstream();
    const env = {
      OPENAI_BASE_URL: upstream.url,
      OPENAI_API_KEY: 'sk-canary-runs-5',
      RUN_CONCURRENCY: '1',
      BOOTSTRAP_ADMIN_KEY: `bw_${'r'.repeat(40)}`,
      SECRETS_KEY: `test:${randomBytes(32).toString('hex')}`,
    };
    let app = await startApp({ env });
    try {
      upstream.expect({ content: 'word '.repeat(20_000), delayMs: 20 });
      const assistant = await makeAssistant(app);
      const start = async (): Promise<string> =>
        (await app.api('POST', `/api/v1/assistants/${assistant}/runs`, { messages: [user('Hi')] })).json.id as string;
      const going = await start();
      await until(() => upstream.active === 1);
      const waiting = await start();
      const following = await follow(app, `${going}/events`);
      await app.stop();
      await following.ended;
      expect(flawsOf(following.frames)).toEqual([]);
      expect(following.frames.at(-1)?.data).toMatchObject({ type: 'run.failed', code: 'server_shutdown' });

      upstream.expect({ content: 'at last' });
      app = await startApp({ env, reset: false });
      const { answer, frames } = await readEvents(app, `${waiting}/events`);
      expect(answer).toBe('at last');
      expect(flawsOf(frames)).toEqual([]);
      const replayed = await readEvents(app, `${going}/events`);
      expect(replayed.raw).toBe(following.frames.map(({ raw }) => raw).join(''));
      upstream.verify();
    } finally {
      await app.stop();
      await upstream.stop();
    }
  });
});
