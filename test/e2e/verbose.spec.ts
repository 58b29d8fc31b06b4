import { startApp, type TestApp } from '../support/app';
import { makeAssistant, makeMember, multiTool, streamed, user } from '../support/chat';
import { type KbServer, startKbServer } from '../support/kb-server';
import { mcpClient } from '../support/mcp-client';
import { keyOf, type Person, person } from '../support/people';
import { startUpstream, type Upstream } from '../support/upstream';
import { until } from '../support/until';

const CANARY = 'sk-canary-verbose-0123456789';
const PROXY_SECRET = 'p'.repeat(40);

describe('a verbose completion', () => {
  let app: TestApp;
  let upstream: Upstream;
  let kb: KbServer;
  let quiet: number;
  let loud: number;

  beforeAll(async () => {
    upstream = await startUpstream();
    kb = await startKbServer({ text: `Osmosis moves water. ${CANARY} ${'x'.repeat(900)}` });
    const proxy = { TRUSTED_PROXY_CIDRS: '127.0.0.1/32,::1/128', TRUSTED_PROXY_SECRET: PROXY_SECRET };
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: CANARY, ...proxy } });
    await app.api('PATCH', '/api/v1/organizations/default', {
      knowledge_base: { server_url: kb.url, api_token: 'kb-token-canary' },
    });
    const tool = { plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: ['bio'] } };
    const make = (verbose: boolean) =>
      makeAssistant(app, {
        name: 'Verbose tutor',
        prompt_template: 'Context: {1_context}\nQuestion: {user_input}',
        metadata: multiTool([tool], { verbose }),
      });
    quiet = await make(false);
    loud = await make(true);
    for (const id of [quiet, loud]) await app.api('PUT', `/api/v1/assistants/${id}/publication`);
  });
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await app.stop();
    await Promise.all([upstream.stop(), kb.stop()]);
  });

  const ask = (id: number, more: object = {}, headers?: Record<string, string>) =>
    app.api(
      'POST',
      '/v1/chat/completions',
      { model: `lamb_assistant.${id}`, messages: [user('Why?')], ...more },
      headers,
    );

  it('gives an editor the report as an ordinary answer, and does not ask the model', async () => {
    const { status, json } = await ask(quiet, { verbose: true });
    expect(status).toBe(200);
    const [choice] = json.choices;
    expect(choice.finish_reason).toBe('stop');
    expect(json.usage).toEqual({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 });
    expect(json.sources).toHaveLength(1);
    for (const text of [
      '# Multi-Tool Orchestration Report',
      '**Orchestrator:** sequential',
      '**Assistant:** Verbose tutor',
      '- **User Message:** Why?',
      '### Tool 1: simple_rag',
      '### 1_context (context)',
      '- **Total Sources:** 1',
      '### Message 1 (system)',
      '### Message 2 (user)',
    ]) {
      expect(choice.message.content).toContain(text);
    }
    expect(choice.message.content).not.toContain('x'.repeat(501));
    expect(upstream.requests).toHaveLength(0);
  });

  it('streams it as an ordinary stream', async () => {
    const body = { model: `lamb_assistant.${quiet}`, messages: [user('Why?')], verbose: true };
    const answer = await streamed(app, '/v1/chat/completions', { ...body, stream_options: { include_usage: true } });
    expect(answer.text).toContain('# Multi-Tool Orchestration Report');
    expect(answer.text).toContain('- **Stream Mode:** true');
    const finish = answer.chunks.find((chunk) => chunk.choices[0]?.finish_reason === 'stop');
    expect(finish).toMatchObject({ run_id: answer.headers.get('x-run-id'), sources: [expect.any(Object)] });
    expect(answer.chunks.at(-1).usage.total_tokens).toBe(0);
    expect(answer.data.at(-1)).toBe('[DONE]');
  });

  it('holds no secret, by value or by shape', async () => {
    const { text } = await ask(loud, { messages: [user(`my key is bw_live_abcdefabcdef_${'s'.repeat(43)}`)] });
    for (const leak of [CANARY, 'kb-token-canary', 'sssss']) expect(text).not.toContain(leak);
    expect(text).toContain('[redacted]');
  });

  it('is safe for list content and images', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAABBBB' } };
    const seeing = (await app.api('POST', `/api/v1/assistants/${loud}/duplicate`)).json;
    const metadata = { ...seeing.metadata, capabilities: { ...seeing.metadata.capabilities, vision: true } };
    await app.api('PATCH', `/api/v1/assistants/${seeing.id}`, { metadata });
    const { status, json } = await ask(seeing.id, {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Look' }, image] }],
    });
    expect(status).toBe(200);
    expect(json.choices[0].message.content).toContain('- **User Message:** Look');
    expect(json.choices[0].message.content).not.toContain('AAAABBBB');
  });

  it('gives those who may only use the assistant the normal answer', async () => {
    const member = await makeMember(app, 'member');
    upstream.expect({ content: 'normal' }, { times: 2 });
    for (const [id, more] of [
      [quiet, { verbose: true }],
      [loud, {}],
    ] as const) {
      expect((await ask(id, more, member.headers)).json.choices[0].message.content).toBe('normal');
    }
  });

  describe('shows each caller the same at every door', () => {
    type Shown = 'whole' | 'previews' | 'none';
    interface Seat {
      readonly api: Person['api'];
      readonly headers: Record<string, string>;
    }
    const REPORT = '# Multi-Tool Orchestration Report';
    /** Longer than any preview, and in the prompt only where it is shown whole. */
    const WHOLE = 'x'.repeat(900);
    const seats = new Map<string, Seat>();
    let id: number;

    const seat = (key: string, more: Record<string, string> = {}): Seat => {
      const headers = { authorization: `Bearer ${key}`, ...more };
      return { headers, api: (method, path, body) => app.api(method, path, body, headers) };
    };
    const at = (name: string): Seat => {
      const found = seats.get(name);
      if (found === undefined) throw new Error(`nobody sits at ${name}`);
      return found;
    };
    const shownIn = (text: string): Shown => {
      if (!text.includes('Osmosis moves water')) return 'none';
      return text.includes(WHOLE) ? 'whole' : 'previews';
    };

    beforeAll(async () => {
      const owner = await person(app);
      const editor = await person(app);
      const user = await person(app, { role: 'member' });
      const admin = await person(app, { role: 'admin', scopes: ['chat', 'read', 'write', 'admin'] });
      const made = await owner.api('POST', '/api/v1/assistants', {
        name: 'Seen by many',
        prompt_template: 'Context: {1_context}\nQuestion: {user_input}',
        metadata: multiTool([
          { plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: ['bio'] } },
        ]),
      });
      id = made.json.id;
      const shares = [
        { email: editor.email, access: 'edit' },
        { email: user.email, access: 'use' },
      ];
      await owner.api('PUT', `/api/v1/assistants/${id}/shares`, { shares });
      const chatOnly = await keyOf(app, owner.email, { scopes: ['chat'] });
      const gateway = await keyOf(app, owner.email, { scopes: ['chat', 'read', 'act_as'] });
      const adminGateway = await keyOf(app, admin.email, { scopes: ['chat', 'read', 'admin', 'act_as'] });
      const student = { 'x-openwebui-user-email': 'student@example.edu' };
      for (const [name, each] of [
        ['the owner', seat(owner.key)],
        ['an editor', seat(editor.key)],
        ['an administrator who is only that', seat(admin.key)],
        ['somebody who may use it', seat(user.key)],
        ['a key of the owner that may only chat', seat(chatOnly.key)],
        ['a gateway of the owner', seat(gateway.key)],
        ['a gateway of the owner that names a student', seat(gateway.key, student)],
        ['a gateway that names its own owner', seat(gateway.key, { 'x-openwebui-user-email': owner.email })],
        ['a gateway of an administrator', seat(adminGateway.key, student)],
        ['a proxy before the owner', seat(owner.key, { 'x-bellwether-proxy-secret': PROXY_SECRET, ...student })],
      ] as const)
        seats.set(name, each);
    });

    const CALLERS: readonly (readonly [name: string, shown: Shown])[] = [
      ['the owner', 'whole'],
      ['an editor', 'whole'],
      ['an administrator who is only that', 'previews'],
      ['somebody who may use it', 'none'],
      ['a key of the owner that may only chat', 'none'],
      ['a gateway of the owner', 'none'],
      ['a gateway of the owner that names a student', 'none'],
      ['a gateway that names its own owner', 'none'],
      ['a gateway of an administrator', 'none'],
      ['a proxy before the owner', 'none'],
    ];

    it.each(CALLERS)('%s: verbose at the doors of completions: %s', async (name, shown) => {
      const body = { messages: [user('Why?')], verbose: true };
      const doors: readonly (readonly [path: string, body: object])[] = [
        ['/v1/chat/completions', { model: `lamb_assistant.${id}`, ...body }],
        [`/lamb/v1/completions?assistant=${id}`, body],
        [`/api/v1/assistants/${id}/completions`, body],
      ];
      if (shown === 'none') upstream.expect({ content: 'normal' }, { times: doors.length });
      for (const [path, asked] of doors) {
        const { status, json } = await at(name).api('POST', path, asked);
        expect([path, status, json.choices[0].message.content]).toEqual([
          path,
          200,
          shown === 'none' ? 'normal' : expect.stringContaining(REPORT),
        ]);
      }
    });

    it.each(CALLERS)('%s: a verbose run in the background: %s', async (name, shown) => {
      if (shown === 'none') upstream.expect({ content: 'normal' });
      const started = await at(name).api('POST', `/api/v1/assistants/${id}/runs`, {
        messages: [user('Why?')],
        verbose: true,
      });
      expect(started.status).toBe(202);
      const events = await at(name).api('GET', `/api/v1/runs/${started.json.id as string}/events`);
      expect(events.text).toContain('event: run.completed');
      expect(events.text.includes(REPORT)).toBe(shown !== 'none');
    });

    it.each(CALLERS)('%s: the prompt over MCP: %s', async (name, shown) => {
      const { authorization = '', ...more } = at(name).headers;
      const client = await mcpClient(app, authorization.slice('Bearer '.length), '/mcp', more);
      try {
        const asked = { name: `assistant_${id}`, arguments: { query: 'Why?' } };
        const text = await client.getPrompt(asked).then(
          ({ messages }) => JSON.stringify(messages),
          (error: unknown) => (error instanceof Error ? error.message : ''),
        );
        expect(shownIn(text)).toBe(shown);
        if (shown === 'none') expect(text).toContain('Unknown prompt');
        const listed = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
        expect(listed.includes(asked.name)).toBe(shown !== 'none');
      } finally {
        await client.close();
      }
    });

    it.each(CALLERS.filter(([name]) => !name.includes('only chat')))(
      '%s: the report of their own run: %s',
      async (name, shown) => {
        upstream.expect({ content: 'normal' });
        const { headers } = await at(name).api('POST', `/api/v1/assistants/${id}/completions`, {
          messages: [user('Why?')],
        });
        const path = `/api/v1/runs/${headers.get('x-run-id') ?? ''}/report`;
        const report = await until(async () => {
          const answer = await at(name).api('GET', path);
          return answer.status === 200 ? answer.json : null;
        });
        expect(shownIn(JSON.stringify(report.prompt ?? ''))).toBe(shown);
        expect(report.messages.length > 0).toBe(shown !== 'none');
      },
    );
  });
});
