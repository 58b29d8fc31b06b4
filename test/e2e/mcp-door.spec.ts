import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamsInFlight } from '../../src/answering';
import { CallsInFlight } from '../../extensions/mcp/mcp-assistant-calls.service';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, multiTool } from '../support/chat';
import { until } from '../support/until';
import { mcpClient, textsOf } from '../support/mcp-client';
import { foreignOrganization, keyOf, type Person, person } from '../support/people';
import { startUpstream, type Upstream } from '../support/upstream';

const CANARY = 'sk-canary-mcp-door-123456';

describe('the MCP door, with the official client', () => {
  let app: TestApp;
  let upstream: Upstream;
  let admin: Client;
  let teacher: Person;
  let student: Person;
  let stranger: Person;
  let shared: number;
  let hidden: number;
  let foreign: number;
  const clients: Client[] = [];

  const connect = async (key: string, path?: string): Promise<Client> => {
    const client = await mcpClient(app, key, path);
    clients.push(client);
    return client;
  };
  const toolNames = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
  const promptNames = async (client: Client) => (await client.listPrompts()).prompts.map(({ name }) => name);
  const ask = (client: Client, id: number, query: unknown = 'What is entropy?') =>
    client.callTool({ name: `assistant_${id}`, arguments: { query } });

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: CANARY } });
    teacher = await person(app, { role: 'teacher' });
    student = await person(app, { role: 'member', scopes: ['chat'] });
    const organization = await foreignOrganization(app);
    stranger = await person(app, { role: 'owner', organization, scopes: ['chat', 'read', 'write', 'admin'] });
    const made = await teacher.api('POST', '/api/v1/assistants', {
      name: 'Tutor',
      description: 'Explains thermodynamics.',
      system_prompt: `You are kind. ${CANARY}`,
      prompt_template: 'Question: {user_input}',
      metadata: { connector: 'openai', llm: 'gpt-4o-mini' },
    });
    shared = made.json.id;
    const share = await teacher.api('PUT', `/api/v1/assistants/${shared}/shares`, {
      shares: [{ user_id: student.userId, access: 'use' }],
    });
    expect([share.status, share.text]).toEqual([200, expect.anything()]);
    hidden = await makeAssistant(app, { name: 'Hidden' });
    const theirs = await stranger.api('POST', '/api/v1/assistants', { name: 'Theirs', metadata: {} });
    foreign = theirs.json.id;
    admin = await connect(app.adminKey);
  });
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await app.stop();
    await upstream.stop();
  });

  it('lists to each caller what they may run, and as prompts what they may edit', async () => {
    const [ofTeacher, ofStudent, ofStranger] = await Promise.all(
      [teacher, student, stranger].map(({ key }) => connect(key)),
    );
    expect(await toolNames(admin)).toEqual([`assistant_${shared}`, `assistant_${hidden}`]);
    expect(await toolNames(ofTeacher!)).toEqual([`assistant_${shared}`]);
    expect(await toolNames(ofStudent!)).toEqual([`assistant_${shared}`]);
    expect(await toolNames(ofStranger!)).toEqual([`assistant_${foreign}`]);
    expect(await promptNames(admin)).toEqual([`assistant_${shared}`, `assistant_${hidden}`]);
    expect(await promptNames(ofTeacher!)).toEqual([`assistant_${shared}`]);
    expect(await promptNames(ofStudent!)).toEqual([]);
  });

  it('says of a tool what a model needs, and nothing of what it is made of', async () => {
    const { tools } = await admin.listTools();
    expect(tools[0]).toEqual({
      name: `assistant_${shared}`,
      title: 'Tutor',
      description: 'Tutor: Explains thermodynamics.',
      inputSchema: {
        type: 'object',
        properties: { query: { type: 'string', minLength: 1, description: expect.any(String) } },
        required: ['query'],
        additionalProperties: false,
      },
    });
  });

  it('runs the assistant whole and leaves a run of the caller', async () => {
    upstream.expect({ content: 'Disorder.' });
    const client = await connect(student.key);
    const result = await ask(client, shared);
    expect(textsOf(result)).toEqual(['Disorder.']);
    expect(result._meta).toMatchObject({ 'bellwether/usage': { total_tokens: 9 }, 'bellwether/sources': [] });
    expect(upstream.requests[0]?.body.messages?.at(-1)?.content).toMatch(/^Question:\s+What is entropy\?\s+$/);
    const run = await keyOf(app, student.email, { scopes: ['chat', 'read'] }).then(({ api }) =>
      api('GET', `/api/v1/runs/${String(result._meta?.['bellwether/run_id'])}`),
    );
    expect([run.status, run.json.status]).toEqual([200, 'completed']);
  });

  it('needs a key', async () => {
    await expect(mcpClient(app, 'bw_wrong')).rejects.toMatchObject({ code: 401 });
  });

  it('offers nothing that can call others to a client that is an assistant itself', async () => {
    const functions = [{ type: 'assistant', assistant_id: hidden }];
    const id = await makeAssistant(app, { metadata: { functions } });
    expect(await toolNames(admin)).toContain(`assistant_${id}`);
    const asAssistant = await mcpClient(app, app.adminKey, '/mcp', { 'bellwether-hop': '1' });
    clients.push(asAssistant);
    expect(await toolNames(asAssistant)).toEqual([`assistant_${shared}`, `assistant_${hidden}`]);
    await expect(ask(asAssistant, id)).rejects.toMatchObject({ code: -32602 });
    await app.api('DELETE', `/api/v1/assistants/${id}`);
  });

  it('answers at the alias of the LAMB door, too', async () => {
    expect(await toolNames(await connect(student.key, '/lamb/v1/mcp/'))).toEqual([`assistant_${shared}`]);
  });

  it.each(['hidden', 'foreign', 'missing'] as const)('does not tell a %s assistant from none', async (which) => {
    const id = { hidden, foreign, missing: 999_999 }[which];
    const client = await connect(student.key);
    const name = `assistant_${id}`;
    const unknown = (what: string) => ({ code: -32602, message: `MCP error -32602: Unknown ${what}: ${name}` });
    await expect(ask(client, id)).rejects.toMatchObject(unknown('tool'));
    await expect(client.getPrompt({ name, arguments: { query: 'x' } })).rejects.toMatchObject(unknown('prompt'));
  });

  it.each(['__proto__', 'constructor', 'assistant_0', 'assistant_1e3', 'assistant_99999999999', 'assistant_1 '])(
    'knows no tool called %s',
    async (name) => {
      await expect(admin.callTool({ name, arguments: { query: 'x' } })).rejects.toMatchObject({ code: -32602 });
    },
  );

  it('fills a prompt by the real pipeline, without a model and without secrets', async () => {
    const client = await connect(teacher.key);
    const prompt = await client.getPrompt({ name: `assistant_${shared}`, arguments: { query: 'Why {user_input}?' } });
    expect(prompt.messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'You are kind. [redacted]' } },
      { role: 'user', content: { type: 'text', text: expect.stringMatching(/^Question:\s+Why \{user_input\}\?\s+$/) } },
    ]);
    expect(upstream.requests).toHaveLength(0);
  });

  it('gives no prompt to those who may only use the assistant, nor a report', async () => {
    const client = await connect(student.key);
    const asked = client.getPrompt({ name: `assistant_${shared}`, arguments: { query: 'x' } });
    await expect(asked).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('Unknown prompt') });
    await teacher.api('PATCH', `/api/v1/assistants/${shared}`, {
      metadata: { connector: 'openai', llm: 'gpt-4o-mini', verbose: true },
    });
    upstream.expect({ content: 'Disorder.' });
    expect(textsOf(await ask(client, shared))).toEqual(['Disorder.']);
  });

  it.each([
    [{}],
    [{ query: '' }],
    [{ query: '  ' }],
    [{ query: 7 }],
    [{ query: 'x', assistant_id: 1 }],
    [{ __proto__: null, q: 'x' }],
  ])('takes no arguments but one question: %j', async (args) => {
    const result = await admin.callTool({ name: `assistant_${hidden}`, arguments: args });
    expect([result.isError, textsOf(result)[0]]).toEqual([true, expect.stringContaining('`query`')]);
  });

  it('tells how a call goes on where the client asks for it', async () => {
    const tool = { plugin: 'single_file_rag', placeholder: '1_file', enabled: true, config: {} };
    const id = await makeAssistant(app, { prompt_template: '{1_file}{user_input}', metadata: multiTool([tool]) });
    upstream.expect({ content: 'Fine.', firstDelayMs: 100 });
    const told: { progress: number; message?: string }[] = [];
    const result = await admin.callTool({ name: `assistant_${id}`, arguments: { query: 'x' } }, undefined, {
      onprogress: (progress) => told.push(progress),
    });
    expect(textsOf(result)).toEqual(['Fine.']);
    expect(told.map(({ progress }) => progress)).toEqual(told.map((_, index) => index + 1));
    expect(told.map(({ message }) => message)).toEqual(expect.arrayContaining(['The model is asked']));
    expect(told.length).toBeGreaterThan(2);
    await app.api('DELETE', `/api/v1/assistants/${id}`);
  });

  it('turns what goes wrong into a result that says no more than a code', async () => {
    upstream.expect({ fault: 'unauthorized', message: 'internal detail of the vendor' });
    const result = await ask(admin, hidden);
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'The assistant could not answer (upstream_auth).' }],
    });
  });

  it('stops the run when the client cancels', async () => {
    upstream.expect({ content: 'word '.repeat(100), firstDelayMs: 120_000 });
    const controller = new AbortController();
    const call = admin.callTool({ name: `assistant_${hidden}`, arguments: { query: 'x' } }, undefined, {
      signal: controller.signal,
    });
    const outcome = call.catch((error: unknown) => error);
    await until(() => upstream.active === 1);
    controller.abort('enough');
    await outcome;
    await upstream.requests[0]?.closedEarly;
    await until(() => app.get(StreamsInFlight).size === 0 && app.get(CallsInFlight).size === 0);
    const [run] = (await app.api('GET', `/api/v1/runs?assistant_id=${hidden}&limit=1`)).json.items;
    expect(run).toMatchObject({ status: 'cancelled', error_code: 'cancelled' });
  });

  it('stops the run when the client leaves', async () => {
    upstream.expect({ content: 'word '.repeat(100), firstDelayMs: 120_000 });
    const client = await mcpClient(app, app.adminKey);
    const outcome = ask(client, hidden).catch((error: unknown) => error);
    await until(() => upstream.active === 1);
    await client.close();
    await outcome;
    await upstream.requests[0]?.closedEarly;
    await until(() => app.get(StreamsInFlight).size === 0 && app.get(CallsInFlight).size === 0);
  });

  it('lets nobody cancel the calls of another caller, or of another client of the same key', async () => {
    upstream.expect({ content: 'Still here.', firstDelayMs: 500 });
    const client = await connect(app.adminKey);
    const call = ask(client, hidden);
    await until(() => upstream.active === 1);
    const cancelled = (requestId: number) => ({
      jsonrpc: '2.0' as const,
      method: 'notifications/cancelled' as const,
      params: { requestId },
    });
    for (const other of [admin, await connect(teacher.key)]) {
      for (let id = 0; id < 10; id += 1) await other.transport?.send(cancelled(id));
    }
    expect(textsOf(await call)).toEqual(['Still here.']);
  });

  it('offers nothing of a kind that the organization has switched off', async () => {
    const id = await makeAssistant(app, { metadata: multiTool([]) });
    expect(await toolNames(admin)).toContain(`assistant_${id}`);
    await app.api('PATCH', '/api/v1/organizations/default', { features: { multi_tool: false } });
    expect(await toolNames(admin)).not.toContain(`assistant_${id}`);
    await expect(ask(admin, id)).rejects.toMatchObject({ code: -32602 });
    await app.api('PATCH', '/api/v1/organizations/default', { features: { multi_tool: true } });
    await app.api('DELETE', `/api/v1/assistants/${id}`);
  });

  it('gives long lists page by page', async () => {
    const ids: number[] = [];
    for (let i = 0; i < 101; i += 1) ids.push(await makeAssistant(app, { name: `Many ${i}` }));
    const first = await admin.listTools();
    expect([first.tools.length, typeof first.nextCursor]).toEqual([100, 'string']);
    const second = await admin.listTools({ cursor: first.nextCursor });
    expect(second.nextCursor).toBeUndefined();
    const names = [...first.tools, ...second.tools].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(ids.map((id) => `assistant_${id}`)));
    await expect(admin.listTools({ cursor: 'nonsense' })).rejects.toMatchObject({ code: -32602 });
  }, 60_000);
});

describe('a server that stops', () => {
  it('ends the calls that go on with a word', async () => {
    const upstream = await startUpstream();
    const app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: CANARY } });
    const id = await makeAssistant(app);
    const client = await mcpClient(app, app.adminKey);
    upstream.expect({ content: 'Too late.', firstDelayMs: 120_000 });
    const call = client.callTool({ name: `assistant_${id}`, arguments: { query: 'x' } });
    await until(() => upstream.active === 1);
    await Promise.all([
      expect(call).resolves.toMatchObject({
        isError: true,
        content: [{ type: 'text', text: 'The assistant could not answer (server_shutdown).' }],
      }),
      app.stop(),
    ]);
    await client.close();
    await upstream.stop();
  });
});
