import { startApp, type TestApp } from '../support/app';
import { makeAssistant, makeMember, multiTool, user } from '../support/chat';
import { type KbServer, startKbServer } from '../support/kb-server';
import { startUpstream, type Upstream } from '../support/upstream';

describe('the record of a run', () => {
  let app: TestApp;
  let upstream: Upstream;
  let kb: KbServer;
  let id: number;

  beforeAll(async () => {
    upstream = await startUpstream();
    kb = await startKbServer();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-runs-1' } });
    await app.api('PATCH', '/api/v1/organizations/default', { knowledge_base: { server_url: kb.url, api_token: 't' } });
    id = await makeAssistant(app, {
      name: 'Recorded',
      prompt_template: '{1_context}{2_rubric}{user_input}',
      metadata: multiTool([
        {
          plugin: 'simple_rag',
          placeholder: '1_context',
          enabled: true,
          cache: false,
          config: { collections: ['bio'] },
        },
        { plugin: 'rubric_rag', placeholder: '2_rubric', enabled: true, config: { rubric_id: null } },
      ]),
    });
    upstream.always({ content: 'Answer.' });
  });
  afterAll(async () => {
    await app.stop();
    await Promise.all([upstream.stop(), kb.stop()]);
  });

  const run = async (headers?: Record<string, string>): Promise<string> => {
    const body = { model: `lamb_assistant.${id}`, messages: [user('A question of mine')] };
    return String((await app.api('POST', '/v1/chat/completions', body, headers)).json.run_id);
  };

  const share = async (...shares: { email: string; access: 'use' | 'edit' }[]): Promise<void> => {
    const answer = await app.api('PUT', `/api/v1/assistants/${id}/shares`, { shares });
    expect(answer.status).toBe(200);
  };

  /** An assistant that searches one collection of the external server. */
  const searching = (collection: string, tool: object = {}): Promise<number> =>
    makeAssistant(app, {
      name: `Searches ${collection}`,
      prompt_template: '{1_context}{user_input}',
      metadata: multiTool([
        {
          plugin: 'simple_rag',
          placeholder: '1_context',
          cache: false,
          config: { collections: [collection] },
          ...tool,
        },
      ]),
    });
  const toolOf = async (assistant: number, question: string): Promise<any> => {
    const body = { model: `lamb_assistant.${assistant}`, messages: [user(question)] };
    const { json } = await app.api('POST', '/v1/chat/completions', body);
    return (await app.api('GET', `/api/v1/runs/${json.run_id}`)).json.tools[0];
  };
  const queriesOf = (collection: string): number =>
    kb.asked.filter(({ path }) => path.startsWith(`/collections/${collection}/`)).length;

  it.each([400, 401, 404, 422])(
    'tells that an external collection which answers %i was asked once, and others go on',
    async (status) => {
      const collection = `refused-${status}`;
      kb.statuses.set(collection, status);
      const refused = await searching(collection);
      for (let question = 0; question < 6; question += 1) {
        expect(await toolOf(refused, `Why ${question}?`)).toMatchObject({ status: 'failed', retries: 0 });
      }
      expect(queriesOf(collection)).toBe(6);
      expect(await toolOf(await searching('healthy'), 'Why?')).toMatchObject({ status: 'completed' });
    },
  );

  it('tells the retries of a tool that failed for good', async () => {
    kb.statuses.set('overloaded', 503);
    const assistant = await searching('overloaded', { retries: 1 });
    expect(await toolOf(assistant, 'Why?')).toMatchObject({ status: 'failed', code: 'tool.failed', retries: 1 });
    expect(queriesOf('overloaded')).toBe(2);
    const { json } = await app.api('GET', `/api/v1/runs?assistant_id=${assistant}`);
    expect(json.items[0]).toMatchObject({ status: 'completed', problems: 1 });
    const report = (await app.api('GET', `/api/v1/runs/${json.items[0].id}/report`)).json;
    expect(report.results[0]).toMatchObject({ status: 'failed', retries: 1 });
  });

  it('finds no deleted knowledge base of its own at the external server', async () => {
    const deleted = '019f2a00-0000-7000-8000-00000000dead';
    const answer = await app.api('POST', '/api/v1/assistants', {
      name: 'Left behind',
      metadata: multiTool([{ plugin: 'simple_rag', placeholder: '1_context', config: { collections: [deleted] } }]),
    });
    expect(answer.text).toContain('tool.inaccessible');
    expect(queriesOf(deleted)).toBe(0);
  });

  it('is there at once, and the same after it was written', async () => {
    const runId = await run();
    const { status, json } = await app.api('GET', `/api/v1/runs/${runId}`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      id: runId,
      status: 'completed',
      assistant: { id, name: 'Recorded', type: 'multi_tool' },
      strategy: 'sequential',
      connector: 'openai',
      model: 'gpt-4o-mini',
      stream: false,
      finish_reason: 'stop',
      error_code: null,
      problems: 1,
      usage: { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 },
      tools: [
        { index: 0, plugin: 'simple_rag', placeholder: '1_context', status: 'completed', code: null },
        { index: 1, plugin: 'rubric_rag', placeholder: '2_rubric', status: 'failed', code: 'tool.config_incomplete' },
      ],
      sources: [expect.objectContaining({ type: 'knowledge_base' })],
    });
    expect(json.timings.prepared_ms).toBeLessThanOrEqual(json.timings.total_ms);
    const types = json.events.map(({ type }: { type: string }) => type);
    expect(types[0]).toBe('run.started');
    expect(types.at(-1)).toBe('run.completed');
    const order = json.events.map(({ seq }: { seq: number }) => seq);
    expect(order).toEqual([...new Set<number>(order)].sort((a, b) => a - b));

    await app.api('GET', '/api/v1/runs');
    expect((await app.api('GET', `/api/v1/runs/${runId}`)).json).toEqual(json);
  });

  it('has a report in Markdown and in JSON', async () => {
    const runId = await run();
    const markdown = await app.api('GET', `/api/v1/runs/${runId}/report`, undefined, { accept: 'text/markdown' });
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(markdown.text).toMatch(/^# Multi-Tool Orchestration Report\n/);
    const { json } = await app.api('GET', `/api/v1/runs/${runId}/report`);
    expect(json).toMatchObject({ orchestrator: 'sequential', totals: { sources: 1, messages: 2 } });
    expect(json.results.map(({ status }: { status: string }) => status)).toEqual(['completed', 'failed']);
  });

  it('has a report without contents for who asked and may not edit the assistant', async () => {
    const ada = await makeMember(app, 'member');
    await share({ email: ada.email, access: 'use' });
    const path = `/api/v1/runs/${await run(ada.headers)}/report`;
    const { status, json } = await app.api('GET', path, undefined, ada.headers);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      orchestrator: 'sequential',
      request: { user_message: 'A question of mine' },
      tools: [{ plugin: 'simple_rag', placeholder: '1_context', config: null }, { config: null }],
      results: [
        { plugin: 'simple_rag', status: 'completed', preview: '', duration_ms: expect.any(Number) },
        { plugin: 'rubric_rag', status: 'failed', code: 'tool.config_incomplete' },
      ],
      sources: [{ type: 'knowledge_base' }],
      messages: [],
      warnings: [],
    });
    const whole = await app.api('GET', path);
    const secrets = [whole.json.results[0].preview, whole.json.messages[0].content, 'bio'];
    const markdown = await app.api('GET', path, undefined, { ...ada.headers, accept: 'text/markdown' });
    expect(markdown.text).toMatch(/^# Multi-Tool Orchestration Report\n/);
    for (const text of [JSON.stringify({ ...json, sources: [] }), markdown.text.split('## Sources')[0]]) {
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
    const bob = await makeMember(app, 'member');
    expect((await app.api('GET', path, undefined, bob.headers)).status).toBe(404);
  });

  it('lists newest first, filtered, page by page, each run once', async () => {
    for (let n = 0; n < 3; n++) await run();
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { json } = await app.api('GET', `/api/v1/runs?assistant_id=${id}&limit=2${query}`);
      seen.push(...json.items.map((each: { id: string }) => each.id));
      cursor = json.next_cursor;
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual([...seen].sort().reverse());
    const { total } = (await app.api('GET', `/api/v1/runs?assistant_id=${id}&limit=1`)).json;
    expect(total).toBe(seen.length);
    expect((await app.api('GET', '/api/v1/runs?status=failed')).json.items).toEqual([]);
    expect((await app.api('GET', '/api/v1/runs?status=lost')).status).toBe(400);
    expect((await app.api('GET', '/api/v1/runs?assistant_id=0')).status).toBe(400);
  });

  it('shows a user their own runs without contents, and nobody else’s', async () => {
    const [ada, bob] = [await makeMember(app, 'member'), await makeMember(app, 'member')];
    await share({ email: ada.email, access: 'use' }, { email: bob.email, access: 'use' });
    const own = await run(ada.headers);
    const mine = await app.api('GET', `/api/v1/runs/${own}`, undefined, ada.headers);
    expect(mine.status).toBe(200);
    expect(mine.json).not.toHaveProperty('events');
    const foreign = await app.api('GET', `/api/v1/runs/${own}`, undefined, bob.headers);
    const missing = await app.api('GET', '/api/v1/runs/019aa9b1-7c55-7d3e-9a51-0f4f6b1f9c11', undefined, bob.headers);
    const garbage = await app.api('GET', '/api/v1/runs/x', undefined, bob.headers);
    for (const answer of [foreign, missing, garbage]) {
      expect([answer.status, answer.json.code, answer.json.detail]).toEqual([404, 'not_found', 'Run not found']);
    }
    expect((await app.api('GET', '/api/v1/runs', undefined, bob.headers)).json).toMatchObject({ items: [], total: 0 });
    const list = (await app.api('GET', '/api/v1/runs', undefined, ada.headers)).json;
    expect(list.items.map((each: { id: string }) => each.id)).toEqual([own]);
    expect((await app.api('GET', `/api/v1/runs/${own}/report`)).status).toBe(200);
  });

  it('shows an editor the runs of others on an assistant of theirs', async () => {
    const teacher = await makeMember(app, 'teacher');
    await share({ email: teacher.email, access: 'edit' });
    const other = await run();
    expect((await app.api('GET', `/api/v1/runs/${other}/report`, undefined, teacher.headers)).status).toBe(200);
    const list = (await app.api('GET', '/api/v1/runs?limit=100', undefined, teacher.headers)).json;
    expect(list.items.map((each: { id: string }) => each.id)).toContain(other);
  });

  it('stays within the assistants that a key is bound to, and out of reach of chat keys', async () => {
    const elsewhere = await makeAssistant(app, { name: 'Elsewhere' });
    const runId = await run();
    const bound = await app.api('POST', '/api/v1/api-keys', {
      name: 'b',
      scopes: ['read'],
      assistant_ids: [elsewhere],
    });
    const headers = { authorization: `Bearer ${String(bound.json.key)}` };
    expect((await app.api('GET', `/api/v1/runs/${runId}`, undefined, headers)).status).toBe(404);
    expect((await app.api('GET', '/api/v1/runs', undefined, headers)).json.items).toEqual([]);
    const chat = await makeMember(app, 'member', ['chat']);
    expect((await app.api('GET', '/api/v1/runs', undefined, chat.headers)).status).toBe(403);
  });

  it('feeds the statistics of the assistant', async () => {
    await run();
    const { status, json } = await app.api('GET', `/api/v1/assistants/${id}/stats`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ failures: 0, tokens: { total: json.runs * 9 } });
    expect(json.p50_ms).toBeLessThanOrEqual(json.p95_ms);
    expect(json.tools).toEqual([
      expect.objectContaining({ plugin: 'simple_rag', placeholder: '1_context', calls: json.runs, failures: 0 }),
      expect.objectContaining({ plugin: 'rubric_rag', placeholder: '2_rubric', calls: json.runs, failures: json.runs }),
    ]);
  });
});
