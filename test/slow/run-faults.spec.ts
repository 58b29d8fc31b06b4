import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, multiTool, user } from '../support/chat';
import { until } from '../support/until';
import { openTestDatabase, resetDatabase, testDatabaseUrl } from '../support/database';
import { type KbServer, startKbServer } from '../support/kb-server';
import { DatabaseProxy } from '../support/proxy';
import { answerOf, flawsOf, follow, readEvents, type Service } from '../support/run-events';
import { type ServerProcess, startServer } from '../support/server-process';
import { startUpstream, type Upstream } from '../support/upstream';

// Whole figures come from bench/runs-faults.mjs; here every fault happens once.

const ANSWER = 'word '.repeat(60);

describe('a run whose database goes away for a moment', () => {
  let app: TestApp;
  let upstream: Upstream;
  let kb: KbServer;
  let proxy: DatabaseProxy;

  beforeAll(async () => {
    upstream = await startUpstream();
    kb = await startKbServer({ delayMs: 5_000 });
    proxy = new DatabaseProxy(testDatabaseUrl());
    await proxy.listen();
    app = await startApp({
      env: {
        OPENAI_BASE_URL: upstream.url,
        OPENAI_API_KEY: 'sk-canary-runs-6',
        DATABASE_URL: proxy.url,
        TOOL_DEFAULT_TIMEOUT: '300',
      },
    });
    await app.api('PATCH', '/api/v1/organizations/default', { knowledge_base: { server_url: kb.url, api_token: 't' } });
  });
  afterAll(async () => {
    await app.stop();
    await Promise.all([upstream.stop(), kb.stop(), proxy.die()]);
  });

  const start = async (assistant: number): Promise<string> =>
    (await app.api('POST', `/api/v1/assistants/${assistant}/runs`, { messages: [user('What is osmosis?')] })).json
      .id as string;

  it('goes on, and its reader gets every event once', async () => {
    upstream.expect({ content: ANSWER, delayMs: 20 });
    const run = await start(await makeAssistant(app));
    const following = await follow(app, `${run}/events`);
    await until(() => following.frames.some(({ event }) => event === 'llm.delta'));
    await proxy.die();
    await until(() => upstream.active === 0);
    await proxy.listen();
    await following.ended;
    expect(flawsOf(following.frames)).toEqual([]);
    expect(following.frames.at(-1)?.event).toBe('run.completed');
    expect(answerOf(following.frames)).toBe(ANSWER);
    const replayed = await readEvents(app, `${run}/events`);
    expect(replayed.raw).toBe(following.frames.map(({ raw }) => raw).join(''));
    upstream.verify();
  });

  it('ends in time when a tool never answers', async () => {
    upstream.expect({ content: 'Without it.' });
    const tool = { plugin: 'simple_rag', placeholder: '1_context', enabled: true, retries: 0, timeout_ms: 200 };
    const assistant = await makeAssistant(app, {
      prompt_template: '{1_context}{user_input}',
      metadata: multiTool([{ ...tool, config: { collections: ['x'] } }]),
    });
    const { frames, answer, types } = await readEvents(app, `${await start(assistant)}/events`);
    expect(flawsOf(frames)).toEqual([]);
    expect(types).toContain('tool.failed');
    expect(answer).toBe('Without it.');
  });
});

describe('a server that is killed', () => {
  let upstream: Upstream;
  let dataDir: string;
  let server: ServerProcess | null = null;

  beforeAll(async () => {
    upstream = await startUpstream();
    dataDir = mkdtempSync(join(tmpdir(), 'bw-run-kill-'));
    const dataSource = await openTestDatabase();
    await resetDatabase(dataSource);
    await dataSource.destroy();
  });
  afterAll(async () => {
    await server?.kill();
    await upstream.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const started = async (): Promise<ServerProcess> => {
    server = await startServer({
      dataDir,
      databaseUrl: testDatabaseUrl(),
      env: {
        OPENAI_BASE_URL: upstream.url,
        OPENAI_API_KEY: 'sk-canary-runs-7',
        OUTBOUND_ALLOW: '127.0.0.1',
        RUN_CONCURRENCY: '1',
        RUN_LEASE: '2',
      },
    });
    return server;
  };
  const serviceOf = ({ url, key }: ServerProcess): Service => ({ url, adminKey: key });

  it('loses no event that was told, ends what it carried out once, and what waited is done after its start', async () => {
    let current = await started();
    const made = await current.api('POST', '/api/v1/assistants', {
      name: 'Tutor',
      prompt_template: '{user_input}',
      metadata: { connector: 'openai', llm: 'gpt-4o-mini' },
    });
    const start = async (): Promise<string> =>
      (await current.api('POST', `/api/v1/assistants/${made.json.id}/runs`, { messages: [user('What is osmosis?')] }))
        .json.id as string;
    upstream.expect({ content: 'word '.repeat(2_000), delayMs: 20 });
    const going = await start();
    const following = await follow(serviceOf(current), `${going}/events`);
    await until(() => following.frames.filter(({ event }) => event === 'llm.delta').length > 3);
    const waiting = await start();
    const reading = expect(following.ended).rejects.toThrow();
    await current.kill();
    await reading;

    upstream.expect({ content: 'at last' });
    current = await started();
    const lost = await readEvents(serviceOf(current), `${going}/events`);
    expect(flawsOf(lost.frames)).toEqual([]);
    expect(lost.frames.at(-1)?.data).toMatchObject({ type: 'run.failed', code: 'worker_lost' });
    expect(lost.raw.startsWith(following.frames.map(({ raw }) => raw).join(''))).toBe(true);
    expect((await current.api('GET', `/api/v1/runs/${going}`)).json).toMatchObject({
      status: 'failed',
      error_code: 'worker_lost',
      answer: expect.stringMatching(/^word/),
    });
    const done = await readEvents(serviceOf(current), `${waiting}/events`);
    expect(flawsOf(done.frames)).toEqual([]);
    expect(done.answer).toBe('at last');
    expect((await current.api('GET', '/api/v1/runs?status=running')).json.total).toBe(0);
    upstream.verify();
    expect(await current.stop()).toBe(0);
    server = null;
  }, 120_000);
});
