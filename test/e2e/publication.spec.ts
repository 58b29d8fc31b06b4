import { DataSource } from 'typeorm';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, multiTool, user } from '../support/chat';
import { mcpClient } from '../support/mcp-client';
import { type Person, person } from '../support/people';
import { readEvents } from '../support/run-events';
import { startUpstream, type Upstream } from '../support/upstream';

const LIVE = 'Live: {user_input}';
const DRAFT = 'Draft: {user_input}';

/** 1,100 assistants like `$1`. */
const COPIES = `
  INSERT INTO assistants OVERRIDING SYSTEM VALUE
  SELECT (jsonb_populate_record(a, jsonb_build_object(
    'id', nextval(pg_get_serial_sequence('assistants', 'id')), 'name', 'Copy ' || n || ' of Biology'))).*
  FROM assistants a CROSS JOIN generate_series(1, 1100) n WHERE a.id = $1`;

describe('a published assistant', () => {
  let app: TestApp;
  let upstream: Upstream;
  let teacher: Person;
  let student: Person;
  let id: number;

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-publication' } });
    teacher = await person(app);
    student = await person(app, { role: 'member' });
  });
  beforeEach(async () => {
    upstream.reset();
    const made = await teacher.api('POST', '/api/v1/assistants', {
      name: 'Biology',
      prompt_template: LIVE,
      metadata: { connector: 'openai', llm: 'gpt-4o-mini' },
    });
    id = made.json.id;
  });
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  const path = (rest = '') => `/api/v1/assistants/${id}${rest}`;
  const publish = (body?: object) => teacher.api('PUT', path('/publication'), body);
  const edit = (body: object) => teacher.api('PATCH', path(), body);
  const seen = async (who: Person = teacher) => (await who.api('GET', path())).json;
  /** The next question to the vendor is filled from this template. */
  const expectPrompt = (template: string): Upstream =>
    upstream.expect({
      content: 'ok',
      check: ({ body }) => expect(JSON.stringify(body.messages)).toContain(template.replace('{user_input}', '')),
    });
  const question = { messages: [user('osmosis')] };
  const inBackground = async (who: Person): Promise<void> => {
    const run = await who.api('POST', path('/runs'), question);
    expect(run.status).toBe(202);
    const told = await readEvents(app, `${run.json.id}/events`, { authorization: `Bearer ${who.key}` });
    expect(told.types.at(-1)).toBe('run.completed');
  };

  it('keeps answering with the live version while its draft changes, at every door', async () => {
    expect((await publish()).json).toMatchObject({ published: true, live_version: 1, changed_since_live: false });
    const saved = await edit({ name: 'Biology, new', prompt_template: DRAFT });
    expect(saved.json).toMatchObject({ version: 2, live_version: 1, changed_since_live: true, name: 'Biology, new' });
    const model = `lamb_assistant.${id}`;
    for (const who of [student, teacher]) {
      for (const [door, body] of [
        ['/v1/chat/completions', { model, ...question }],
        [path('/completions'), question],
        [`/lamb/v1/completions/?assistant=${id}`, question],
      ] as const) {
        expectPrompt(LIVE);
        expect((await who.api('POST', door, body)).status).toBe(200);
      }
      expectPrompt(LIVE);
      await inBackground(who);
    }
    const client = await mcpClient(app, student.key);
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => name.includes(String(id)));
    expect(JSON.stringify(tool)).not.toContain('Biology, new');
    await client.close();
    expect(await seen(student)).toMatchObject({ name: 'Biology', version: 1, changed_since_live: false });
    const found = async (who: Person, q: string): Promise<unknown> =>
      (await who.api('GET', `/api/v1/assistants?q=${encodeURIComponent(q)}`)).json.items.find(
        (item: { id: number }) => item.id === id,
      );
    expect(await found(student, 'Biology')).toMatchObject({ name: 'Biology', version: 1 });
    expect(await found(teacher, 'Biology')).toMatchObject({ name: 'Biology, new', live_version: 1 });
    // A search must not tell what the draft says.
    expect(await found(student, 'Biology, new')).toBeUndefined();
    const editor = await person(app);
    expect(
      (await teacher.api('PUT', path('/shares'), { shares: [{ email: editor.email, access: 'edit' }] })).status,
    ).toBeLessThan(300);
    expect(await found(editor, 'Biology, new')).toMatchObject({ access: 'edit' });
  });

  it('is called by other assistants in its live version', async () => {
    await publish();
    await edit({ prompt_template: DRAFT });
    const caller = await makeAssistant(app, {
      metadata: multiTool([], {
        functions: [{ type: 'assistant', assistant_id: id, name: 'Biology', description: 'Knows' }],
      }),
    });
    upstream.expect({ toolCalls: [{ name: `call_assistant_${id}`, arguments: '{"query":"osmosis"}' }] });
    expectPrompt(LIVE);
    upstream.expect({ content: 'Done.' });
    const answer = await app.api('POST', `/api/v1/assistants/${caller}/completions`, question);
    expect(answer.json.choices[0].message.content).toContain('Done.');
  });

  it('goes live by publishing, back by restoring, and to any earlier version', async () => {
    await publish();
    await edit({ prompt_template: DRAFT });
    expect((await publish({ version: 2 })).json).toMatchObject({ live_version: 2, changed_since_live: false });
    expectPrompt(DRAFT);
    await inBackground(student);

    await edit({ prompt_template: 'Worse: {user_input}' });
    const back = await teacher.api('POST', path('/versions/2/restore'));
    expect(back.json).toMatchObject({ version: 4, live_version: 4, changed_since_live: false, prompt_template: DRAFT });
    expectPrompt(DRAFT);
    await inBackground(student);

    expect((await publish({ version: 1 })).json).toMatchObject({
      version: 4,
      live_version: 1,
      changed_since_live: true,
    });
    expectPrompt(LIVE);
    await inBackground(student);
    expect((await publish({ version: 9 })).status).toBe(404);
    expect((await publish({ version: 'x' })).status).toBe(400);

    const versions = (await teacher.api('GET', path('/versions'))).json.items;
    expect(versions.map(({ version, live }: { version: number; live: boolean }) => [version, live])).toEqual([
      [4, false],
      [3, false],
      [2, false],
      [1, true],
    ]);
    expect(versions[0].author).toEqual({ id: teacher.userId, email: teacher.email, name: expect.any(String) });
  });

  it('that is saved without a difference to the live version has no change to publish', async () => {
    await publish();
    await edit({ prompt_template: DRAFT });
    expect((await edit({ prompt_template: LIVE })).json).toMatchObject({
      version: 3,
      live_version: 3,
      changed_since_live: false,
    });
  });

  it('that is withdrawn answers as edited again', async () => {
    await teacher.api('PUT', path('/shares'), { shares: [{ email: student.email, access: 'use' }] });
    await publish();
    await edit({ prompt_template: DRAFT });
    expect((await teacher.api('DELETE', path('/publication'))).json).toMatchObject({
      published: false,
      live_version: null,
      changed_since_live: false,
    });
    expectPrompt(DRAFT);
    await inBackground(student);
    await edit({ prompt_template: 'Edited at once: {user_input}' });
    expectPrompt('Edited at once: {user_input}');
    await inBackground(student);
  });

  it('needs a complete version to publish, whichever it is', async () => {
    const missing = multiTool([
      { plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: [] } },
    ]);
    await edit({ metadata: missing, prompt_template: '{1_context}{user_input}' });
    expect((await publish()).status).toBe(409);
    expect((await publish({ version: 1 })).json).toMatchObject({ published: true, live_version: 1 });
  });

  it('stays with its users when it is converted, as the prompts are proven equal', async () => {
    await publish();
    const converted = await teacher.api('POST', path('/convert'));
    expect(converted.json).toMatchObject({ version: 2, live_version: 2, changed_since_live: false });
    await edit({ prompt_template: DRAFT });
    expectPrompt(LIVE);
    await inBackground(student);
  });

  it('imported under a name in use gets a number', async () => {
    await edit({ name: 'Essay' });
    const exported = (await teacher.api('GET', path('/export'))).json;
    const plan = await teacher.api('POST', '/api/v1/assistants/import?dry_run=true', exported);
    expect(plan.json.diff).toContainEqual({ path: 'name', from: '', to: 'Essay (2)' });
    expect((await teacher.api('POST', '/api/v1/assistants/import', exported)).json.name).toBe('Essay (2)');
    expect((await teacher.api('POST', '/api/v1/assistants/import', exported)).json.name).toBe('Essay (3)');
  });

  // The last one: what it adds is on the first page of every list.
  it('is found by a text that a thousand assistants have, a page at a time', async () => {
    await app.get(DataSource).query(COPIES, [id]);
    const search = async (who: Person, cursor = ''): Promise<any> =>
      (await who.api('GET', `/api/v1/assistants?q=of%20biology&limit=2${cursor}`)).json;
    const first = await search(teacher);
    const second = await search(teacher, `&cursor=${first.next_cursor}`);
    expect(first.total).toBe(1001);
    expect([...first.items, ...second.items].map(({ name }) => name)).toEqual(
      [1100, 1099, 1098, 1097].map((n) => `Copy ${n} of Biology`),
    );
    expect(await search(student)).toMatchObject({ items: [], total: 0 });
  });
});
