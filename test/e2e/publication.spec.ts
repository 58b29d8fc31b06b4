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

  describe('that was just asked', () => {
    const ORGANIZATION = '/api/v1/organizations/default';
    let asker: Person;
    beforeEach(async () => {
      upstream.always({ content: 'ok' });
      asker = await person(app, { role: 'member' });
    });
    const set = (body: object) => app.api('PATCH', ORGANIZATION, body);
    /** The completion reads neither the member nor the assistant again: what it knows comes from caches. */
    const asked = async (): Promise<number> =>
      (await asker.api('POST', '/v1/chat/completions', { model: `lamb_assistant.${id}`, ...question })).status;
    const member = (): string => `${ORGANIZATION}/members/${asker.userId}`;
    const rule = (amount: number) =>
      set({ limits: { rules: [{ id: 'few', for: { kind: 'person' }, limit: 'requests', amount, per: 'day' }] } });
    const sharedWith = (body: object) => teacher.api('PUT', path('/shares'), { shares: [], groups: [], ...body });
    const inGroup = async (): Promise<string> => {
      const { json } = await teacher.api('POST', `${ORGANIZATION}/groups`, { name: `Of ${asker.email}` });
      await teacher.api('POST', `${ORGANIZATION}/groups/${json.id}/members`, { members: [asker.userId] });
      await sharedWith({ groups: [{ group_id: json.id }] });
      return `${ORGANIZATION}/groups/${json.id}`;
    };
    const keyOfAsker = async (): Promise<string> => {
      const { json } = await asker.api('GET', '/api/v1/api-keys');
      return `/api/v1/api-keys/${json.items[0].id}`;
    };

    type Change = (prepared: string) => Promise<{ readonly status: number }>;
    it.each<[string, () => Promise<string | object>, Change, number]>([
      ['withdrawn', publish, () => teacher.api('DELETE', path('/publication')), 404],
      ['deleted', publish, () => teacher.api('DELETE', path()), 404],
      [
        'no longer shared',
        () => sharedWith({ shares: [{ user_id: asker.userId }] }),
        () => sharedWith({ shares: [] }),
        404,
      ],
      [
        'shared with a group that the person left',
        inGroup,
        (group) => teacher.api('DELETE', `${group}/members/${asker.userId}`),
        404,
      ],
      ['shared with a group that is deleted', inGroup, (group) => teacher.api('DELETE', group), 404],
      ['asked by a member who is disabled', publish, () => app.api('PATCH', member(), { disabled: true }), 401],
      ['asked by a member who is removed', publish, () => app.api('DELETE', member()), 401],
      [
        'asked with a key that is revoked',
        async () => {
          await publish();
          return keyOfAsker();
        },
        (key) => asker.api('DELETE', key),
        401,
      ],
      [
        'answered by a provider that is switched off',
        publish,
        () => set({ providers: { openai: { enabled: false } } }),
        503,
      ],
    ])('is closed to the very next question when it is %s', async (_, prepare, change, status) => {
      const prepared = await prepare();
      try {
        expect(await asked()).toBe(200);
        expect((await change(typeof prepared === 'string' ? prepared : '')).status).toBeLessThan(300);
        expect(await asked()).toBe(status);
        expect(upstream.requests).toHaveLength(1);
      } finally {
        await set({ providers: null });
      }
    });

    it('counts with an amount that was changed before the very next question', async () => {
      await publish();
      try {
        await rule(1);
        expect([await asked(), await asked()]).toEqual([200, 429]);
        await rule(2);
        expect([await asked(), await asked()]).toEqual([200, 429]);
        await rule(1);
        expect(await asked()).toBe(429);
        await set({ limits: null });
        expect(await asked()).toBe(200);
      } finally {
        await set({ limits: null });
      }
    });

    it('goes to the vendor with a key that was changed before the very next question', async () => {
      await publish();
      const keys = (): unknown[] => upstream.requests.map(({ headers }) => headers['authorization']);
      try {
        await set({ providers: { openai: { base_url: upstream.url, api_key: 'sk-canary-first' } } });
        await asked();
        await set({ providers: { openai: { api_key: 'sk-canary-second' } } });
        await asked();
        expect(keys()).toEqual(['Bearer sk-canary-first', 'Bearer sk-canary-second']);
      } finally {
        await set({ providers: null });
      }
    });

    it('is made by a teacher whose role still allows it with the very next request', async () => {
      const body = { name: 'Mine', metadata: { connector: 'bypass' } };
      const maker = await person(app);
      const makes = async (): Promise<number> => (await maker.api('POST', '/api/v1/assistants', body)).status;
      expect(await makes()).toBe(201);
      await app.api('PATCH', `${ORGANIZATION}/members/${maker.userId}`, { role: 'member' });
      expect(await makes()).toBe(403);
      await app.api('PATCH', `${ORGANIZATION}/members/${maker.userId}`, { role: 'teacher' });
      expect(await makes()).toBe(201);
    });
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
