import { startApp, type TestApp } from '../support/app';
import { makeAssistant, multiTool, user } from '../support/chat';
import { until } from '../support/until';
import { type KbServer, startKbServer } from '../support/kb-server';
import { type Person, person } from '../support/people';
import { flawsOf, follow, type ReadEvents, readEvents } from '../support/run-events';
import { startUpstream, type Upstream } from '../support/upstream';

const TOOL = {
  plugin: 'simple_rag',
  placeholder: '1_context',
  enabled: true,
  cache: false,
  config: { collections: ['bio'] },
};

describe('a run in the background', () => {
  let app: TestApp;
  let upstream: Upstream;
  let kb: KbServer;
  let tooled: number;
  let classic: number;

  beforeAll(async () => {
    upstream = await startUpstream();
    kb = await startKbServer();
    app = await startApp({
      env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-runs-2', RUN_CONCURRENCY: '2' },
    });
    await app.api('PATCH', '/api/v1/organizations/default', { knowledge_base: { server_url: kb.url, api_token: 't' } });
    tooled = await makeAssistant(app, {
      prompt_template: '{1_context}{user_input}',
      metadata: multiTool([TOOL]),
    });
    classic = await makeAssistant(app);
  });
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await app.stop();
    await Promise.all([upstream.stop(), kb.stop()]);
  });

  const start = (id: number, more: object = {}, headers?: Record<string, string>) =>
    app.api('POST', `/api/v1/assistants/${id}/runs`, { messages: [user('A question')], ...more }, headers);
  const started = async (id: number, more: object = {}, who?: Person): Promise<string> => {
    const body = { messages: [user('A question')], ...more };
    const { status, text, json } = await (who ?? app).api('POST', `/api/v1/assistants/${id}/runs`, body);
    if (status !== 202) throw new Error(`start: ${status} ${text}`);
    return json.id as string;
  };
  const events = (id: string, more = '', headers?: Record<string, string>): Promise<ReadEvents> =>
    readEvents(app, `${id}/events${more}`, headers);

  it('is accepted at once, answers in events, and stands in its record', async () => {
    upstream.expect({ content: 'Osmosis is slow.', check: ({ body }) => expect(body.stream).toBe(true) });
    const { status, headers, json } = await start(tooled, { stream: false });
    expect([status, json.status]).toEqual([202, 'queued']);
    expect(headers.get('location')).toBe(`/api/v1/runs/${json.id}`);
    expect(headers.get('x-run-id')).toBe(json.id);

    const told = await events(json.id);
    expect(told.headers.get('content-type')).toBe('text/event-stream');
    expect(told.headers.get('cache-control')).toMatch(/no-cache.*no-transform/);
    expect(told.headers.get('x-accel-buffering')).toBe('no');
    expect(flawsOf(told.frames)).toEqual([]);
    expect(told.types.filter((type) => !/progress|delta/.test(type))).toEqual([
      'run.started',
      'tool.started',
      'tool.completed',
      'prompt.ready',
      'llm.started',
      'sources',
      'usage',
      'run.completed',
    ]);
    expect(told.answer).toBe('Osmosis is slow.');
    for (const { data } of told.frames) expect(data).toMatchObject({ run_id: json.id, at: expect.any(String) });

    const record = (await app.api('GET', `/api/v1/runs/${json.id}`)).json;
    expect(record).toMatchObject({
      id: json.id,
      status: 'completed',
      background: true,
      stream: true,
      answer: 'Osmosis is slow.',
      plan: null,
      finish_reason: 'stop',
      usage: { total_tokens: 9 },
      tools: [{ plugin: 'simple_rag', status: 'completed' }],
    });
    expect(record.events).toEqual(told.frames.map(({ data }) => data).filter(({ type }) => type !== 'llm.delta'));
    const { items } = (await app.api('GET', `/api/v1/runs?assistant_id=${tooled}`)).json;
    expect(items.map((each: { id: string }) => each.id)).toEqual([json.id]);
  });

  it('replays from any event on, byte for byte, and says nothing to who has everything', async () => {
    upstream.expect({ content: 'one two three', delayMs: 5 });
    const id = await started(tooled);
    const live = await events(id);
    for (let n = 0; n < live.frames.length; n += 3) {
      const rest = live.frames
        .slice(n)
        .map(({ raw }) => raw)
        .join('');
      expect((await events(id, '', { 'last-event-id': String(n) })).raw).toBe(rest);
      expect((await events(id, `?after=${n}`)).raw).toBe(rest);
    }
    // The header is what an EventSource adds to the address that it was given.
    const last = String(live.frames.length);
    expect((await events(id, '?after=1', { 'last-event-id': last })).status).toBe(204);
    expect((await events(id, '?after=-1')).status).toBe(400);
    expect((await events(id, '', { 'last-event-id': 'x' })).status).toBe(400);
  });

  it('goes on when its reader leaves, and tells the next one the same', async () => {
    upstream.expect({ content: 'word '.repeat(20), delayMs: 10 });
    const id = await started(classic);
    const first = await follow(app, `${id}/events`);
    await until(() => first.frames.some(({ event }) => event === 'llm.delta'));
    first.leave();
    await first.ended;
    const whole = await events(id);
    expect(whole.types.at(-1)).toBe('run.completed');
    expect(whole.raw.startsWith(first.frames.map(({ raw }) => raw).join(''))).toBe(true);
    expect(whole.answer).toBe('word '.repeat(20));
  });

  it('writes what grows with the answer, not with the vendor’s chunks', async () => {
    const content = 'a'.repeat(4_000);
    upstream.expect({ content, pieces: [...content] });
    const { frames, answer, raw } = await events(await started(classic));
    expect(answer).toBe(content);
    expect(frames.filter(({ event }) => event === 'llm.delta').length).toBeLessThan(40);
    expect(raw.length).toBeLessThan(2.5 * content.length + 3_000);
  });

  it('is refused for what a completion is refused for, before it exists', async () => {
    const total = async (): Promise<number> => (await app.api('GET', '/api/v1/runs?limit=1')).json.total as number;
    const before = await total();
    const missing = await start(999_999);
    expect([missing.status, missing.json.code]).toEqual([404, 'not_found']);
    const empty = await start(classic, { messages: [] });
    expect([empty.status, empty.json.code]).toEqual([400, 'validation_failed']);
    const functional = await makeAssistant(app, { metadata: { tools: ['weather'] } });
    expect((await start(functional, { tools: [{ type: 'function' }] })).status).toBe(400);
    await app.api('PATCH', '/api/v1/organizations/default', { features: { functions: false } });
    expect((await start(functional)).json.code).toBe('feature_disabled');
    await app.api('PATCH', '/api/v1/organizations/default', { features: { functions: true } });
    const stranger = await person(app, { role: 'member' });
    const private_ = await stranger.api('POST', `/api/v1/assistants/${classic}/runs`, { messages: [user('x')] });
    expect(private_.status).toBe(404);
    const reader = await person(app, { scopes: ['read'] });
    expect((await reader.api('POST', `/api/v1/assistants/${classic}/runs`, {})).status).toBe(403);
    expect(await total()).toBe(before);
  });

  it('is started once by a request that is sent twice', async () => {
    upstream.expect({ content: 'once' });
    const first = await start(classic, {}, { 'idempotency-key': 'run-1' });
    const again = await start(classic, {}, { 'idempotency-key': 'run-1' });
    expect([again.status, again.json, again.headers.get('idempotent-replayed')]).toEqual([202, first.json, 'true']);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    await events(first.json.id);
  });

  it('tells how the vendor failed it', async () => {
    upstream.expect({ fault: 'unauthorized' });
    const { frames } = await events(await started(classic));
    expect(flawsOf(frames)).toEqual([]);
    expect(frames.at(-1)?.data).toMatchObject({ type: 'run.failed', code: 'upstream_auth' });
  });

  it('keeps what was said before the vendor broke off', async () => {
    upstream.expect({ fault: 'cut-mid-stream' });
    const id = await started(classic);
    const { frames, answer } = await events(id);
    expect(flawsOf(frames)).toEqual([]);
    expect(frames.at(-1)?.data).toMatchObject({ type: 'run.failed', code: 'upstream_truncated' });
    expect(answer).not.toBe('');
    const { json } = await app.api('GET', `/api/v1/runs/${id}`);
    expect(json).toMatchObject({ status: 'failed', error_code: 'upstream_truncated', answer });
  });

  it('reports to an editor who asks for it, and does not ask the model', async () => {
    const id = await started(tooled, { verbose: true });
    const { answer, frames } = await events(id);
    expect(answer).toMatch(/^# Multi-Tool Orchestration Report\n/);
    expect(frames.at(-1)?.data).toMatchObject({ type: 'run.completed', finish_reason: 'stop' });
    expect(upstream.requests).toHaveLength(0);
  });

  it('has rounds of functions, whose texts are paragraphs of one answer', async () => {
    const answering = await makeAssistant(app, { name: 'Helper' });
    const asking = await makeAssistant(app, {
      metadata: { tools: [{ type: 'assistant', assistant_id: answering, name: 'Helper', description: 'helps' }] },
    });
    const call = { id: 'call_1', name: `call_assistant_${answering}`, arguments: '{"query":"help"}' };
    upstream
      .expect({ content: 'Let me ask.', toolCalls: [call] })
      .expect({ content: 'helped', check: ({ body }) => expect(body.stream ?? false).toBe(false) })
      .expect({ content: 'Done.' });
    const id = await started(asking);
    const { answer, types, frames } = await events(id);
    expect(answer).toBe('Let me ask.\n\nDone.');
    expect(flawsOf(frames)).toEqual([]);
    expect(types).toContain('llm.tool_call');
    const { json } = await app.api('GET', `/api/v1/runs/${id}`);
    expect(json).toMatchObject({ usage: { total_tokens: 18 }, functions: [{ name: call.name, status: 'completed' }] });
    expect(json.runs).toHaveLength(1);
  });

  describe('that has to wait for its turn', () => {
    const REPLY = { content: 'word '.repeat(2_000), delayMs: 20 };

    /** Takes both places, so that whatever comes next waits until one is given back. */
    const occupied = async (): Promise<() => Promise<void>> => {
      upstream.expect(REPLY, { times: 2 });
      const ids = await Promise.all([started(classic), started(classic)]);
      await until(() => upstream.active === 2);
      return async () => {
        await Promise.all(ids.map((id) => app.api('POST', `/api/v1/runs/${id}/cancel`)));
      };
    };

    const endOf = async (id: string) => (await events(id)).frames.at(-1)?.data;

    it('is not carried out for a key that was revoked meanwhile', async () => {
      const ada = await person(app, { role: 'member' });
      await app.api('PUT', `/api/v1/assistants/${classic}/shares`, { shares: [{ email: ada.email, access: 'use' }] });
      const release = await occupied();
      const id = await started(classic, {}, ada);
      const keys = (await app.api('GET', '/api/v1/api-keys?owner=all&limit=100')).json.items;
      const key = keys.find(({ owner_id }: { owner_id: string }) => owner_id === ada.userId);
      expect((await app.api('DELETE', `/api/v1/api-keys/${key.id}`)).status).toBe(204);
      expect((await app.api('GET', `/api/v1/runs/${id}`)).json.status).toBe('queued');
      await release();
      expect(await endOf(id)).toMatchObject({ type: 'run.failed', code: 'unauthenticated' });
    });

    it('is not carried out for somebody who may no longer use the assistant', async () => {
      const bob = await person(app, { role: 'member' });
      const shared = await makeAssistant(app);
      await app.api('PUT', `/api/v1/assistants/${shared}/shares`, { shares: [{ email: bob.email, access: 'use' }] });
      const release = await occupied();
      const id = await started(shared, {}, bob);
      await app.api('PUT', `/api/v1/assistants/${shared}/shares`, { shares: [] });
      await release();
      expect(await endOf(id)).toMatchObject({ type: 'run.failed', code: 'not_found' });
      expect(upstream.requests).toHaveLength(2);
    });

    it('is followed while it waits, and told of from its first event on', async () => {
      const release = await occupied();
      upstream.expect({ content: 'at last' });
      const following = await follow(app, `${await started(classic)}/events`);
      expect(following.frames).toEqual([]);
      await release();
      await following.ended;
      expect(flawsOf(following.frames)).toEqual([]);
      expect(following.frames.at(-1)?.event).toBe('run.completed');
    });
  });
});
