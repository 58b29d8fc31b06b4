import { filesForm, startApp, type TestApp } from '../support/app';
import { makeAssistant, multiTool, user } from '../support/chat';
import { type Person, person } from '../support/people';
import { readEvents } from '../support/run-events';
import { startUpstream, type Upstream } from '../support/upstream';
import { until } from '../support/until';

const DEFINITION = {
  name: 'On the screen',
  system_prompt: 'You are brief.',
  prompt_template: 'Draft: {user_input}',
  metadata: { connector: 'openai', llm: 'gpt-4o-mini' },
};

describe('a run of a definition that is not saved', () => {
  let app: TestApp;
  let upstream: Upstream;
  let teacher: Person;
  let student: Person;

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-draft' } });
    teacher = await person(app);
    student = await person(app, { role: 'member' });
  });
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  const start = (who: Person, body: object) =>
    who.api('POST', '/api/v1/runs', { definition: DEFINITION, messages: [user('What is osmosis?')], ...body });
  const eventsOf = (who: Person, id: string) => readEvents(app, `${id}/events`, { authorization: `Bearer ${who.key}` });

  it('answers with the prompt on the screen and saves no assistant', async () => {
    const before = (await teacher.api('GET', '/api/v1/assistants?owner=me')).json.total;
    upstream.expect({
      content: 'Water moves.',
      check: ({ body }) =>
        expect(body.messages).toEqual([
          { role: 'system', content: 'You are brief.' },
          { role: 'user', content: expect.stringMatching(/^Draft:\s+What is osmosis\?\s*$/) },
        ]),
    });
    const started = await start(teacher, {});
    expect([started.status, started.json.status]).toEqual([202, 'queued']);
    const id: string = started.json.run_id;
    expect(started.headers.get('location')).toBe(`/api/v1/runs/${id}`);
    expect((await eventsOf(teacher, id)).answer).toBe('Water moves.');

    const run = await teacher.api('GET', `/api/v1/runs/${id}`);
    expect(run.json).toMatchObject({
      status: 'completed',
      draft: true,
      answer: 'Water moves.',
      assistant: { id: 0, name: 'On the screen', type: 'classic' },
      events: expect.any(Array),
    });
    expect((await teacher.api('GET', `/api/v1/runs/${id}/report`)).status).toBe(200);
    expect((await teacher.api('GET', `/api/v1/runs/${id}/passages`)).json).toEqual({ items: [] });
    expect((await student.api('GET', `/api/v1/runs/${id}`)).status).toBe(404);
    expect((await (await person(app)).api('GET', `/api/v1/runs/${id}`)).status).toBe(404);
    expect((await teacher.api('GET', '/api/v1/assistants?owner=me')).json.total).toBe(before);
  });

  it('of a stored assistant leaves it as it is, and stays out of its statistics', async () => {
    const id = await makeAssistant(app);
    await app.api('PUT', `/api/v1/assistants/${id}/shares`, { shares: [{ email: teacher.email, access: 'edit' }] });
    upstream.expect({ content: 'ok', check: ({ body }) => expect(JSON.stringify(body.messages)).toContain('Draft: ') });
    const started = await start(teacher, { assistant_id: id });
    expect(started.status).toBe(202);
    await eventsOf(teacher, started.json.run_id);
    const run = await teacher.api('GET', `/api/v1/runs/${started.json.run_id}`);
    expect(run.json).toMatchObject({ status: 'completed', draft: true, assistant: { id } });
    expect((await teacher.api('GET', `/api/v1/assistants/${id}`)).json).toMatchObject({ version: 1, name: 'Tutor' });
    expect((await teacher.api('GET', `/api/v1/assistants/${id}/stats`)).json).toMatchObject({ runs: 0, tools: [] });
  });

  it('is for people who may make assistants, and for editors of the stored one', async () => {
    const id = await makeAssistant(app);
    expect((await start(student, {})).status).toBe(403);
    expect((await start(teacher, { assistant_id: id })).status).toBe(404);
    await app.api('PUT', `/api/v1/assistants/${id}/shares`, { shares: [{ email: teacher.email, access: 'use' }] });
    expect((await start(teacher, { assistant_id: id })).status).toBe(403);
    const reader = await person(app, { scopes: ['chat', 'read'] });
    expect((await start(reader, {})).status).toBe(403);
    const bound = await person(app, { assistantIds: [id] });
    expect((await start(bound, {})).status).toBe(403);
    await app.api('PUT', `/api/v1/assistants/${id}/suspension`);
    await app.api('PUT', `/api/v1/assistants/${id}/shares`, { shares: [{ email: teacher.email, access: 'edit' }] });
    expect((await start(teacher, { assistant_id: id })).status).toBe(404);
  });

  it('is refused with every problem, like a save', async () => {
    const nothing = await teacher.api('POST', '/api/v1/runs', { assistant_id: 'x', messages: [{ role: 'nobody' }] });
    expect(nothing.status).toBe(400);
    expect(nothing.json.errors.map(({ path }: { path: string }) => path)).toEqual(
      expect.arrayContaining(['definition', 'assistant_id', 'messages[0].role']),
    );
    const wrong = await start(teacher, {
      definition: {
        ...DEFINITION,
        typo: 1,
        metadata: multiTool([{ plugin: 'no_such_tool', placeholder: '1_context', enabled: true, config: {} }]),
      },
    });
    expect(wrong.status).toBe(400);
    expect(wrong.json.errors.map(({ path }: { path: string }) => path)).toEqual(
      expect.arrayContaining(['definition.typo', 'definition.metadata.tools[0].plugin']),
    );
  });

  it('reads nothing of the owner’s that its editor may not read, in no place of the definition', async () => {
    upstream.always({ content: 'I do not know.' });
    const owned = await app.api('POST', '/api/v1/knowledge-bases', { name: 'Of the owner' });
    const documents = `/api/v1/knowledge-bases/${owned.json.id}`;
    await app.api('POST', `${documents}/documents`, filesForm(['osmosis.md', 'Osmosis is a CANARY.']));
    await until(
      async () => (await app.api('POST', `${documents}/query`, { query: 'osmosis' })).json.results.length > 0,
    );
    await app.api('POST', '/api/v1/files', filesForm(['owned/secret.md', 'CANARY of the file.']));
    const id = await makeAssistant(app);
    await app.api('PUT', `/api/v1/assistants/${id}/shares`, { shares: [{ email: teacher.email, access: 'edit' }] });
    const search = { plugin: 'simple_rag', config: { collections: [owned.json.id] } };
    const file = { plugin: 'single_file_rag', config: { file_path: 'owned/secret.md' } };
    const tool = { placeholder: '1_context', enabled: true };
    for (const metadata of [
      multiTool([{ ...tool, ...search }]),
      multiTool([{ ...tool, placeholder: '1_file', ...file }]),
      multiTool([{ ...tool, ...search, config: { collections: [] }, fallback: { ...search, condition: 'on_error' } }]),
      multiTool([], { functions: [{ type: 'knowledge_base', kb_id: owned.json.id, name: 'n', description: 'd' }] }),
      { ...DEFINITION.metadata, rag_processor: 'single_file_rag', file_path: 'owned/secret.md' },
    ]) {
      const started = await start(teacher, { assistant_id: id, definition: { ...DEFINITION, metadata } });
      expect([metadata, started.status]).toEqual([metadata, 202]);
      await eventsOf(teacher, started.json.run_id);
      const report = (await teacher.api('GET', `/api/v1/runs/${started.json.run_id}/report`)).text;
      const asked = JSON.stringify(upstream.requests.map(({ body }) => body));
      for (const told of [report, asked])
        expect([metadata, told]).toEqual([metadata, expect.not.stringMatching(/CANARY|query_kb/)]);
    }
  });

  it('tells what its tools did when one of them ended it', async () => {
    const tool = { plugin: 'single_file_rag', placeholder: '1_file', enabled: true, config: { file_path: 'scan.pdf' } };
    await teacher.api('POST', '/api/v1/files', filesForm(['scan.pdf', '%PDF-1.4 no pages']));
    const started = await start(teacher, {
      definition: { ...DEFINITION, metadata: multiTool([{ ...tool, on_error: 'fail' }]) },
    });
    expect(started.status).toBe(202);
    const id: string = started.json.run_id;
    expect((await eventsOf(teacher, id)).types.at(-1)).toBe('run.failed');
    expect((await teacher.api('GET', `/api/v1/runs/${id}/report`)).json).toMatchObject({
      request: { user_message: 'What is osmosis?' },
      tools: [{ plugin: 'single_file_rag', config: { file_path: 'scan.pdf' } }],
      results: [{ status: 'failed', message: expect.stringContaining('scan.pdf') }],
    });
  });

  it('calls the assistants that its author may call', async () => {
    const target = await teacher.api('POST', '/api/v1/assistants', {
      name: 'Expert',
      prompt_template: 'Expert: {user_input}',
      metadata: { connector: 'openai', llm: 'gpt-4o-mini' },
    });
    upstream.expect({
      toolCalls: [{ name: `call_assistant_${target.json.id}`, arguments: '{"query":"osmosis"}' }],
    });
    upstream.expect({ content: 'Expert words.' });
    upstream.expect({ content: 'Done.' });
    const started = await start(teacher, {
      definition: {
        ...DEFINITION,
        metadata: multiTool([], {
          functions: [{ type: 'assistant', assistant_id: target.json.id, name: 'Expert', description: 'Knows' }],
        }),
      },
    });
    expect([started.status, started.text]).toEqual([202, expect.anything()]);
    expect((await eventsOf(teacher, started.json.run_id)).answer).toContain('Done.');
    expect((await teacher.api('GET', `/api/v1/runs/${started.json.run_id}`)).json).toMatchObject({
      status: 'completed',
      functions: [{ status: 'completed' }],
    });
  });

  it('can be cancelled', async () => {
    upstream.expect({ content: 'never', firstDelayMs: 10_000 });
    const started = await start(teacher, {});
    const id: string = started.json.run_id;
    expect((await teacher.api('POST', `/api/v1/runs/${id}/cancel`)).status).toBe(202);
    expect((await eventsOf(teacher, id)).types.at(-1)).toBe('run.cancelled');
    upstream.reset();
  });
});
