import { startApp, type TestApp } from '../support/app';
import { makeAssistant, multiTool, streamed, user } from '../support/chat';
import { type KbServer, startKbServer } from '../support/kb-server';
import { startUpstream, type Upstream } from '../support/upstream';

const TOOL_MS = 150;

describe('a streamed completion', () => {
  let app: TestApp;
  let upstream: Upstream;
  let kb: KbServer;
  let id: number;

  beforeAll(async () => {
    upstream = await startUpstream();
    kb = await startKbServer({ delayMs: TOOL_MS });
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-streaming-1' } });
    await app.api('PATCH', '/api/v1/organizations/default', { knowledge_base: { server_url: kb.url, api_token: 't' } });
    id = await makeAssistant(app, {
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
  });
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await app.stop();
    await Promise.all([upstream.stop(), kb.stop()]);
  });

  const ask = (more: object = {}) =>
    streamed(app, '/v1/chat/completions', {
      model: `lamb_assistant.${id}`,
      messages: [user('What is osmosis?')],
      ...more,
    });

  it('sends the vendor’s chunks, the run and its sources with the finish reason, and the end mark', async () => {
    upstream.expect({ content: 'Water moves to salt.' });
    const answer = await ask();
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('Water moves to salt.');
    expect(answer.data.at(-1)).toBe('[DONE]');
    expect(answer.named).toBe(0);
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
    const last = answer.chunks.at(-1);
    expect(last.choices[0].finish_reason).toBe('stop');
    expect(last.run_id).toBe(answer.headers.get('x-run-id'));
    expect(last.sources).toEqual([expect.objectContaining({ type: 'knowledge_base', similarity: 0.9, n: 1 })]);
    expect(answer.chunks.filter((chunk) => 'run_id' in chunk)).toHaveLength(1);
  });

  it('has its first byte long before the tools have ended', async () => {
    upstream.expect({ content: 'x' });
    const before = kb.answered;
    kb.delayMs = 1_000;
    const response = await fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: `lamb_assistant.${id}`, stream: true, messages: [user('What is osmosis?')] }),
    });
    const reader = response.body?.getReader();
    const first = await reader?.read();
    kb.delayMs = TOOL_MS;
    expect(kb.answered).toBe(before);
    expect(Buffer.from(first?.value ?? []).toString()).toMatch(/^: /);
    while (!(await reader?.read())?.done);
  });

  it('progress "comment" (default): messages as comments', async () => {
    upstream.expect({ content: 'x' });
    const { comments } = await ask();
    expect(comments).toEqual(
      expect.arrayContaining([
        '🔄 Executing tool: simple_rag → 1_context',
        expect.stringMatching(/^✅ Tool completed: simple_rag → \d+ chars to 1_context$/),
        expect.stringMatching(/^❌ Tool failed: rubric_rag - /),
      ]),
    );
  });

  it('progress "chunk": whole events in chunks without choices', async () => {
    upstream.expect({ content: 'x' });
    const { chunks, comments } = await ask({ stream_options: { progress: 'chunk' } });
    const progress = chunks.filter((chunk) => 'progress' in chunk);
    expect(progress.every(({ choices, object }) => choices.length === 0 && object === 'chat.completion.chunk')).toBe(
      true,
    );
    expect(progress.map((chunk) => chunk.progress.type)).toEqual(
      expect.arrayContaining(['tool.started', 'tool.completed', 'tool.failed', 'prompt.ready', 'llm.started']),
    );
    expect(progress[0].progress).toMatchObject({
      type: 'tool.started',
      index: 0,
      plugin: 'simple_rag',
      placeholder: '1_context',
    });
    expect(comments).toEqual(['stream open']);
  });

  it('progress "status": the frames of tool calls', async () => {
    upstream.expect({ content: 'x' });
    const { chunks } = await ask({ stream_options: { progress: 'status' } });
    expect(chunks.filter(({ type }) => type === 'status')).toEqual([
      { type: 'status', status: 'tool_call', tool: 'simple_rag', message: '🔧 Calling simple_rag...' },
      { type: 'status', status: 'tool_complete', tool: 'simple_rag', message: '✅ simple_rag completed' },
      { type: 'status', status: 'tool_call', tool: 'rubric_rag', message: '🔧 Calling rubric_rag...' },
      { type: 'status', status: 'tool_error', tool: 'rubric_rag', message: '❌ rubric_rag failed' },
    ]);
  });

  it('progress "off": the answer alone', async () => {
    upstream.expect({ content: 'x' });
    expect((await ask({ stream_options: { progress: 'off' } })).comments).toEqual(['stream open']);
  });

  it('counts tokens for the client only when asked, for the record always', async () => {
    upstream.expect({ content: 'x' }).expect({ content: 'x' });
    const without = await ask();
    expect(without.chunks.some((chunk) => chunk.choices.length === 0)).toBe(false);
    const run = await app.api('GET', `/api/v1/runs/${without.headers.get('x-run-id')}`);
    expect(run.json.usage).toEqual({ prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 });
    const withUsage = await ask({ stream_options: { include_usage: true } });
    expect(withUsage.chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 9 } });
    expect(withUsage.data.at(-1)).toBe('[DONE]');
  });

  it.each([
    ['cut-mid-stream', 'upstream_truncated'],
    ['end-without-finish', 'upstream_truncated'],
    ['error-object-mid-stream', 'upstream_error'],
    ['unauthorized', 'upstream_auth'],
  ] as const)('ends with a word and without the end mark when the vendor is %s', async (fault, code) => {
    upstream.expect({ fault });
    const answer = await ask();
    expect(answer.status).toBe(200);
    expect(answer.chunks.at(-1)).toMatchObject({
      error: { code, type: expect.any(String), message: expect.any(String) },
    });
    expect(answer.data).not.toContain('[DONE]');
    const run = await app.api('GET', `/api/v1/runs/${answer.headers.get('x-run-id')}`);
    expect(run.json).toMatchObject({ status: 'failed', error_code: code });
  });

  it('answers with a status what is known before the first byte', async () => {
    expect((await ask({ model: 'lamb_assistant.999999' })).status).toBe(404);
    expect((await ask({ messages: [] })).status).toBe(400);
    const orphan = await makeAssistant(app, { metadata: { connector: 'ollama', llm: 'llama3' } });
    const refused = await ask({ model: `lamb_assistant.${orphan}` });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('x-run-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('keeps up with a reader that is slower than the vendor', async () => {
    upstream.expect({ content: 'x', pieces: Array.from({ length: 20_000 }, (_, n) => `word ${n} `) });
    const answer = await ask();
    expect(answer.data.at(-1)).toBe('[DONE]');
    expect(answer.text.startsWith('word 0 word 1 ')).toBe(true);
    expect(answer.text.endsWith('word 19999 ')).toBe(true);
  });
});
