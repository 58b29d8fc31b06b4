import { startApp, type TestApp } from '../support/app';
import { foreignOrganization, keyOf, type Person, person } from '../support/people';

const ASSISTANTS = '/api/v1/assistants';
const CLASSIC = {
  prompt_processor: 'simple_augment',
  connector: 'bypass',
  llm: 'debug-bypass',
  rag_processor: 'no_rag',
};

let app: TestApp;
let teacher: Person;
let colleague: Person;
let student: Person;
let stranger: Person;

beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
  colleague = await person(app);
  student = await person(app, { role: 'member' });
  stranger = await person(app, {
    organization: await foreignOrganization(app),
    role: 'owner',
    scopes: ['chat', 'read', 'write', 'admin'],
  });
});
afterAll(() => app.stop());

const multiTool = (...tools: unknown[]): Record<string, unknown> => ({
  assistant_type: 'multi_tool',
  orchestrator: 'sequential',
  connector: 'bypass',
  llm: 'debug-bypass',
  tools,
});

const make = async (who: Person, body: Record<string, unknown> = {}): Promise<number> => {
  const answer = await who.api('POST', ASSISTANTS, { name: 'Tutor', metadata: CLASSIC, ...body });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.json.id;
};

const paths = (answer: { json: any }): string[] => answer.json.errors.map(({ path }: { path: string }) => path);

describe('an assistant', () => {
  it('is made, read, changed and deleted', async () => {
    const metadata = { odd_key: { kept: [true] }, ...CLASSIC, prompt: null };
    const made = await teacher.api('POST', ASSISTANTS, {
      name: '  Tutor ',
      description: 'D',
      system_prompt: 'S',
      prompt_template: 'Q {user_input}',
      metadata,
      RAG_collections: 'a, b',
      RAG_Top_k: 5,
    });
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`${ASSISTANTS}/${made.json.id}`);
    expect(made.headers.get('etag')).toBe('"1"');
    expect(made.json).toEqual({
      id: expect.any(Number),
      type: 'classic',
      name: 'Tutor',
      description: 'D',
      owner: { id: teacher.userId, email: teacher.email, name: expect.any(String) },
      organization: { id: expect.any(String), slug: 'default' },
      published: false,
      published_to_all: false,
      disabled: false,
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: expect.any(String),
      access: 'owner',
      changed_since_live: false,
      live_version: null,
      system_prompt: 'S',
      prompt_template: 'Q {user_input}',
      metadata,
      RAG_collections: ['a', 'b'],
      RAG_Top_k: 5,
      diagnostics: [],
    });
    expect(Object.keys(made.json.metadata)).toEqual(Object.keys(metadata));

    const path = `${ASSISTANTS}/${made.json.id}`;
    expect((await teacher.api('GET', path)).json).toEqual(made.json);

    const changed = await teacher.api('PATCH', path, { name: 'Mentor' }, { 'if-match': '"1"' });
    expect([changed.status, changed.json.name, changed.json.version, changed.headers.get('etag')]).toEqual([
      200,
      'Mentor',
      2,
      '"2"',
    ]);
    expect(changed.json.prompt_template).toBe('Q {user_input}');

    expect((await teacher.api('DELETE', path)).status).toBe(204);
    expect((await teacher.api('GET', path)).status).toBe(404);
    expect((await teacher.api('DELETE', path)).status).toBe(404);
  });

  it('takes metadata as the JSON string that LAMB clients send, empty too', async () => {
    const id = await make(teacher, { metadata: JSON.stringify(multiTool()) });
    const read = await teacher.api('GET', `${ASSISTANTS}/${id}`);
    expect([read.json.type, read.json.metadata]).toEqual(['multi_tool', { _format_version: 3, ...multiTool() }]);
    const odd = await make(teacher, { metadata: '{"b":1,"constructor":{"prototype":2},"a":3}' });
    expect((await teacher.api('GET', `${ASSISTANTS}/${odd}`)).text).toContain(
      '{"b":1,"constructor":{"prototype":2},"a":3}',
    );
    const empty = await make(teacher, { metadata: '' });
    expect((await teacher.api('GET', `${ASSISTANTS}/${empty}`)).json.metadata).toEqual({});
    const none = await teacher.api('POST', ASSISTANTS, { name: 'No metadata' });
    expect([none.status, none.json.type, none.json.metadata]).toEqual([201, 'classic', {}]);
  });

  it('stores what it generates for a multi-tool definition, and rewrites nothing that was not given', async () => {
    const tools = [{ type: 'rubric', config: { rubric_id: null } }, { plugin: 'no_rag' }];
    const stored = [
      { plugin: 'rubric_rag', placeholder: '1_rubric', config: { rubric_id: null } },
      { plugin: 'no_rag' },
    ];
    const id = await make(teacher, { metadata: multiTool(...tools) });
    const path = `${ASSISTANTS}/${id}`;
    const read = (await teacher.api('GET', path)).json;
    expect([read.metadata._format_version, read.metadata.tools]).toEqual([3, stored]);
    const again = await teacher.api('PATCH', path, { metadata: multiTool(...tools) });
    expect([again.json.version, again.json.metadata]).toEqual([1, read.metadata]);
    const changed = await teacher.api('PATCH', path, { metadata: multiTool({ type: 'no_tool' }) });
    expect([changed.json.version, changed.json.metadata.tools]).toEqual([2, [{ plugin: 'no_rag' }]]);
    const v2 = await make(teacher, { metadata: { tools } });
    expect((await teacher.api('GET', `${ASSISTANTS}/${v2}`)).json.metadata).toEqual({ tools });
  });

  it('derives whether an assistant uses functions, in its metadata and among the models', async () => {
    const id = await make(teacher, { metadata: { ...CLASSIC, functions: ['weather'] } });
    const plain = await make(teacher, { metadata: { ...CLASSIC, capabilities: { tool_use: true } } });
    const told = async (assistant: number) => [
      (await teacher.api('GET', `${ASSISTANTS}/${assistant}`)).json.metadata.capabilities.tool_use,
      (await teacher.api('GET', `/v1/models/lamb_assistant.${assistant}`)).json.capabilities.tool_use,
    ];
    expect([await told(id), await told(plain)]).toEqual([
      [true, true],
      [false, false],
    ]);
    const { metadata } = (await teacher.api('GET', `${ASSISTANTS}/${id}`)).json;
    expect((await teacher.api('PATCH', `${ASSISTANTS}/${id}`, { metadata })).json.version).toBe(1);
  });

  it.each([
    ['not JSON', '{'],
    ['a list', []],
    ['a number', 7],
    ['a NUL inside a string', '{"a":"\\u0000"}'],
    ['__proto__ inside a string', '{"a":{"__proto__":{}}}'],
    ['200 levels inside a string', `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`],
  ])('refuses metadata that is %s', async (_, metadata) => {
    const answer = await teacher.api('POST', ASSISTANTS, { name: 'x', metadata });
    expect([answer.status, answer.json.code, paths(answer)]).toEqual([400, 'validation_failed', ['metadata']]);
  });

  it('is refused with every problem and its path', async () => {
    const tool = (plugin: string, placeholder: string, config: object): object => ({ plugin, placeholder, config });
    const answer = await teacher.api('POST', ASSISTANTS, {
      name: 'x',
      metadata: {
        ...multiTool(
          tool('nope', '1_context', {}),
          tool('simple_rag', '1_context', { collections: [], top_k: 99, colour: 1 }),
          tool('rubric_rag', '2_context', { rubric_id: true }),
        ),
        orchestrator: 'nope',
      },
    });
    expect(answer.status).toBe(400);
    expect(paths(answer)).toEqual([
      'metadata.orchestrator',
      'metadata.tools[0].plugin',
      'metadata.tools[1].config.colour',
      'metadata.tools[1].config.top_k',
      'metadata.tools[2].placeholder',
      'metadata.tools[2].config.rubric_id',
      'metadata.tools[1].placeholder',
    ]);
    expect(
      (await teacher.api('GET', `${ASSISTANTS}?q=x&owner=me`)).json.items.filter((item: any) => item.name === 'x'),
    ).toEqual([]);
  });

  it('is refused for its body and its definition at once, made or changed', async () => {
    const bad = { nmae: 'x', metadata: multiTool({ plugin: 'nope', placeholder: '1_context', config: {} }) };
    const id = await make(teacher);
    for (const [method, path, name] of [
      ['POST', ASSISTANTS, ''],
      ['PATCH', `${ASSISTANTS}/${id}`, ''],
    ] as const) {
      const answer = await teacher.api(method, path, { ...bad, name });
      expect([answer.status, answer.json.code]).toEqual([400, 'validation_failed']);
      expect(new Set(paths(answer))).toEqual(new Set(['nmae', 'name', 'metadata.tools[0].plugin']));
      const unread = await teacher.api(method, path, { name: 'x', nmae: 'x', metadata: '{' });
      expect(paths(unread)).toEqual(['nmae', 'metadata']);
    }
    const { metadata } = bad;
    const foreign = await teacher.api('PATCH', `${ASSISTANTS}/999999`, { nmae: 1, metadata });
    expect(foreign.status).toBe(404);
  });

  it.each([
    'id',
    'owner',
    'owner_id',
    'organization',
    'organization_id',
    'created_at',
    'updated_at',
    'version',
    'published',
    'access',
    'type',
    'deleted_at',
  ])('never takes %s from a body', async (name) => {
    const id = await make(teacher);
    for (const answer of [
      await teacher.api('POST', ASSISTANTS, { name: 'x', [name]: 1 }),
      await teacher.api('PATCH', `${ASSISTANTS}/${id}`, { [name]: 1 }),
    ])
      expect([answer.status, paths(answer)]).toEqual([400, [name]]);
  });

  it('lists every wrong field at once', async () => {
    const answer = await teacher.api('POST', ASSISTANTS, {
      name: ' ',
      system_prompt: 1,
      RAG_Top_k: 0,
      RAG_collections: ['a,b'],
      nope: 1,
    });
    expect(new Set(paths(answer))).toEqual(new Set(['name', 'system_prompt', 'RAG_Top_k', 'RAG_collections', 'nope']));
    expect((await teacher.api('POST', ASSISTANTS, { name: 'n'.repeat(201) })).status).toBe(400);
    expect((await teacher.api('POST', ASSISTANTS, {})).status).toBe(400);
  });

  it('refuses thousands of tools at once, without asking for each what it refers to', async () => {
    const tool = { plugin: 'simple_rag', config: { collections: ['nowhere'] } };
    const metadata = multiTool(...Array.from({ length: 1_900 }, () => tool));
    const answer = await teacher.api('POST', ASSISTANTS, { name: 'Crowd', metadata });
    expect([answer.status, paths(answer)]).toEqual([400, ['metadata.tools']]);
    const checked = await teacher.api('POST', `${ASSISTANTS}/validate`, { template: '{user_input}', metadata });
    expect(checked.json).toMatchObject({ valid: false, diagnostics: [{ path: 'metadata.tools' }] });
  });

  it('keeps a template with 1,000 slots and names each that nothing fills', async () => {
    const template = Array.from({ length: 1000 }, (_, n) => `{${n + 1}_context}`).join(' ') + '{user_input}';
    const answer = await teacher.api('POST', ASSISTANTS, {
      name: 'Wide',
      prompt_template: template,
      metadata: multiTool(),
    });
    expect([answer.status, answer.json.prompt_template]).toEqual([201, template]);
    expect(answer.json.diagnostics).toHaveLength(1000);
    expect(template.slice(answer.json.diagnostics[999].range.start, answer.json.diagnostics[999].range.end)).toBe(
      '{1000_context}',
    );
  });

  it('is made once for one Idempotency-Key', async () => {
    const send = () => teacher.api('POST', ASSISTANTS, { name: 'Once' }, { 'idempotency-key': 'once' });
    const [one, two] = [await send(), await send()];
    expect([two.json.id, two.headers.get('idempotent-replayed')]).toEqual([one.json.id, 'true']);
  });
});

describe('a version', () => {
  it('guards against lost updates', async () => {
    const id = await make(teacher);
    const patch = (ifMatch: string | undefined, name: string) =>
      teacher.api('PATCH', `${ASSISTANTS}/${id}`, { name }, ifMatch === undefined ? {} : { 'if-match': ifMatch });
    expect((await patch('"1"', 'B')).status).toBe(200);
    expect([(await patch('"1"', 'C')).status, (await patch('"1"', 'C')).json.code]).toEqual([
      412,
      'precondition_failed',
    ]);
    expect((await patch('"soon"', 'C')).status).toBe(412);
    expect((await patch('*', 'C')).json.version).toBe(3);
    expect((await patch(undefined, 'D')).json.version).toBe(4);
    expect((await patch(undefined, 'D')).json.version).toBe(4);
    expect((await teacher.api('DELETE', `${ASSISTANTS}/${id}`, undefined, { 'if-match': '"1"' })).status).toBe(412);
  });

  it('lets one of many simultaneous saves with the same base win', async () => {
    const id = await make(teacher);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        teacher.api('PATCH', `${ASSISTANTS}/${id}`, { name: `N${n}` }, { 'if-match': '"1"' }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412, 412, 412]);
    expect((await teacher.api('GET', `${ASSISTANTS}/${id}`)).json.version).toBe(2);
  });

  it('can be read and restored', async () => {
    const id = await make(teacher, { system_prompt: 'first' });
    await teacher.api('PATCH', `${ASSISTANTS}/${id}`, { system_prompt: 'second', metadata: multiTool() });
    const versions = await teacher.api('GET', `${ASSISTANTS}/${id}/versions?limit=1`);
    expect(versions.json).toMatchObject({
      total: 2,
      items: [{ version: 2, reason: 'update', type: 'multi_tool', author_id: teacher.userId }],
    });
    const rest = await teacher.api('GET', `${ASSISTANTS}/${id}/versions?limit=1&cursor=${versions.json.next_cursor}`);
    expect(rest.json).toMatchObject({ next_cursor: null, items: [{ version: 1, reason: 'create' }] });
    expect((await teacher.api('GET', `${ASSISTANTS}/${id}/versions/1`)).json).toMatchObject({
      system_prompt: 'first',
      metadata: CLASSIC,
    });
    const restored = await teacher.api('POST', `${ASSISTANTS}/${id}/versions/1/restore`);
    expect([restored.status, restored.json.version, restored.json.system_prompt, restored.json.type]).toEqual([
      200,
      3,
      'first',
      'classic',
    ]);
    expect((await teacher.api('POST', `${ASSISTANTS}/${id}/versions/99/restore`)).status).toBe(404);
  });
});

describe('the readers of an assistant', () => {
  it('are its owner, those it is shared with, everybody once published, and administrators', async () => {
    const id = await make(teacher, { system_prompt: 'secret prompt' });
    const path = `${ASSISTANTS}/${id}`;
    const seenBy = async (who: Person) => (await who.api('GET', path)).json.access ?? null;
    const all = async () => [
      await seenBy(teacher),
      await seenBy(colleague),
      await seenBy(student),
      await seenBy(stranger),
    ];
    expect(await all()).toEqual(['owner', null, null, null]);
    expect((await app.api('GET', path)).json.access).toBe('edit');

    await teacher.api('PUT', `${path}/shares`, {
      shares: [{ email: colleague.email, access: 'edit' }, { user_id: student.userId }],
    });
    expect(await all()).toEqual(['owner', 'edit', 'use', null]);
    await teacher.api('PUT', `${path}/shares`, { user_emails: [student.email] });
    expect(await all()).toEqual(['owner', null, 'use', null]);
    await teacher.api('PUT', `${path}/shares`, { shares: [] });
    await teacher.api('PUT', `${path}/publication`);
    expect(await all()).toEqual(['owner', 'use', 'use', null]);
    await teacher.api('DELETE', `${path}/publication`);
    expect(await all()).toEqual(['owner', null, null, null]);
  });

  it('are everybody of an organization that lets its members use all, until it no longer does', async () => {
    const id = await make(teacher);
    const list = async (who: Person, path: string): Promise<unknown[]> => {
      const { items, data } = (await who.api('GET', path)).json;
      return (items ?? data).map((each: { id: unknown }) => each.id);
    };
    const uses = async (who: Person): Promise<unknown[]> => [
      (await who.api('GET', `${ASSISTANTS}/${id}`)).json.access ?? null,
      (await list(who, ASSISTANTS)).includes(id),
      (await list(who, '/v1/models')).includes(`lamb_assistant.${id}`),
      (await who.api('POST', `${ASSISTANTS}/${id}/completions`, { messages: [{ role: 'user', content: 'Q' }] })).status,
    ];
    /** Codes of the errors of an assistant that calls this one. */
    const calling = async (): Promise<string[]> => {
      const call = { type: 'assistant', assistant_id: id, name: 'Tutor', description: 'Answers' };
      const body = { name: 'C', metadata: { ...multiTool(), functions: [call] } };
      const { status, json } = await colleague.api('POST', ASSISTANTS, body);
      expect(status).toBe(201);
      const found = json.diagnostics as readonly { readonly severity: string; readonly code: string }[];
      return found.filter(({ severity }) => severity === 'error').map(({ code }) => code);
    };
    const switched = (members_can_use_all: boolean | null) =>
      app.api('PATCH', '/api/v1/organizations/default', { features: { members_can_use_all } });
    expect((await app.api('GET', '/api/v1/organizations/default')).json.features.members_can_use_all).toBe(false);
    expect(await uses(student)).toEqual([null, false, false, 404]);
    await switched(true);
    expect(await uses(colleague)).toEqual(['use', true, true, 200]);
    expect(await uses(student)).toEqual([null, false, false, 404]);
    expect(await uses(stranger)).toEqual([null, false, false, 404]);
    expect(await calling()).toEqual([]);
    expect((await colleague.api('GET', `${ASSISTANTS}/${id}`)).text).not.toMatch(/prompt_template|metadata/);
    expect((await colleague.api('POST', `${ASSISTANTS}/${id}/convert`)).status).toBe(403);
    await switched(null);
    expect(await uses(colleague)).toEqual([null, false, false, 404]);
    expect(await calling()).toEqual(['tool.inaccessible']);
  });

  it('never see how it is made where they may only run it', async () => {
    const id = await make(teacher, {
      system_prompt: 'hidden',
      prompt_template: 'hidden {user_input}',
      metadata: { ...CLASSIC, note: 'hidden' },
    });
    const path = `${ASSISTANTS}/${id}`;
    await teacher.api('PUT', `${path}/publication`);
    const [read, list] = [await colleague.api('GET', path), await colleague.api('GET', ASSISTANTS)];
    expect(read.json).toMatchObject({ id, access: 'use', published: true });
    const listed = list.json.items.find((item: { id: number }) => item.id === id);
    for (const seen of [read.json, listed])
      expect(JSON.stringify(seen)).not.toMatch(/hidden|system_prompt|metadata|RAG_|diagnostics/);
    for (const [method, sub, body] of [
      ['PATCH', '', { name: 'x' }],
      ['DELETE', '', undefined],
      ['GET', '/export', undefined],
      ['POST', '/duplicate', {}],
      ['GET', '/versions', undefined],
      ['GET', '/versions/1', undefined],
      ['POST', '/versions/1/restore', undefined],
      ['POST', '/convert', undefined],
      ['POST', '/convert?dry_run=true', undefined],
      ['GET', '/shares', undefined],
      ['PUT', '/shares', { shares: [] }],
      ['PUT', '/publication', undefined],
      ['DELETE', '/publication', undefined],
      ['GET', '/stats', undefined],
    ] as const)
      expect([method, sub, (await colleague.api(method, path + sub, body)).status]).toEqual([method, sub, 403]);
  });

  it('is nobody of another organization, on any route, and missing looks the same', async () => {
    const id = await make(teacher);
    await teacher.api('PUT', `${ASSISTANTS}/${id}/publication`);
    for (const [method, sub, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', '', undefined],
      ['POST', '/duplicate', {}],
      ['PUT', '/publication', undefined],
      ['DELETE', '/publication', undefined],
      ['GET', '/shares', undefined],
      ['PUT', '/shares', { shares: [] }],
      ['GET', '/versions', undefined],
      ['GET', '/versions/1', undefined],
      ['POST', '/versions/1/restore', undefined],
      ['POST', '/convert', undefined],
      ['POST', '/convert?dry_run=true', undefined],
      ['GET', '/export', undefined],
      ['GET', '/stats', undefined],
    ] as const) {
      const [foreign, missing] = [
        await stranger.api(method, `${ASSISTANTS}/${id}${sub}`, body),
        await stranger.api(method, `${ASSISTANTS}/999999${sub}`, body),
      ];
      expect([method, sub, foreign.status, foreign.json.detail]).toEqual([method, sub, 404, missing.json.detail]);
    }
    const into = await stranger.api('POST', `${ASSISTANTS}/import?into=${id}`, { name: 'x' });
    expect(into.status).toBe(404);
  });

  it.each(['0', '-1', '1.5', 'abc', '99999999999', "1' OR '1'='1", '1e3'])('finds nothing under %s', async (id) => {
    expect((await teacher.api('GET', `${ASSISTANTS}/${encodeURIComponent(id)}`)).status).toBe(404);
  });

  it('can be narrowed by a key', async () => {
    const [one, two] = [await make(teacher), await make(teacher)];
    const bound = await keyOf(app, teacher.email, { assistantIds: [one] });
    expect((await bound.api('GET', `${ASSISTANTS}/${one}`)).status).toBe(200);
    expect((await bound.api('GET', `${ASSISTANTS}/${two}`)).status).toBe(404);
    expect((await bound.api('GET', ASSISTANTS)).json.items.map(({ id }: { id: number }) => id)).toEqual([one]);
    expect((await bound.api('GET', '/v1/models')).json.data.map(({ id }: { id: string }) => id)).toEqual([
      `lamb_assistant.${one}`,
    ]);
    const chatOnly = await keyOf(app, teacher.email, { scopes: ['chat'] });
    expect((await chatOnly.api('GET', ASSISTANTS)).status).toBe(403);
  });

  it('keeps members from making assistants', async () => {
    expect((await student.api('POST', ASSISTANTS, { name: 'x' })).status).toBe(403);
    expect((await student.api('POST', `${ASSISTANTS}/validate`, {})).status).toBe(403);
  });
});

describe('the list', () => {
  it('filters, searches and pages without gaps', async () => {
    const lister = await person(app);
    const ids: number[] = [];
    for (let n = 0; n < 5; n += 1)
      ids.push(await make(lister, { name: `Page ${n} 100%_`, metadata: n % 2 === 0 ? CLASSIC : multiTool() }));
    const list = async (query: string) => (await lister.api('GET', `${ASSISTANTS}?owner=me&${query}`)).json;
    const seen: number[] = [];
    let cursor: string | null = '';
    do {
      const page = await list(`limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      expect([page.total, page.items.length <= 2]).toEqual([5, true]);
      seen.push(...page.items.map(({ id }: { id: number }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual([...ids].reverse());
    expect((await list('type=multi_tool')).total).toBe(2);
    expect((await list('type=classic&q=page%204')).items.map(({ id }: { id: number }) => id)).toEqual([ids[4]]);
    expect((await list(`q=${encodeURIComponent('100%_')}`)).total).toBe(5);
    expect((await list(`q=${encodeURIComponent('1%0')}`)).total).toBe(0);
  });

  it('never shows another organization, whatever the filter', async () => {
    await make(stranger, { name: 'Foreign treasure' });
    const own = await make(teacher, { name: 'Own treasure' });
    await teacher.api('PUT', `${ASSISTANTS}/${own}/publication`);
    for (const query of ['', '?q=treasure', '?type=classic', '?owner=me', '?q=%25&type=classic', "?q=' OR 1=1 --"]) {
      expect((await stranger.api('GET', ASSISTANTS + query)).text).not.toContain('Own treasure');
      expect((await teacher.api('GET', ASSISTANTS + query)).text).not.toContain('Foreign treasure');
      expect((await app.api('GET', ASSISTANTS + query)).text).not.toContain('Foreign treasure');
    }
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'type=other', 'owner=you', 'cursor=abc', 'sort=id', 'organization_id=1'])(
    'refuses ?%s',
    async (query) => {
      expect((await teacher.api('GET', `${ASSISTANTS}?${query}`)).status).toBe(400);
    },
  );
});

describe('an assistant without any vendor', () => {
  const ask = async (who: Person, id: number): Promise<string> => {
    const messages = [{ role: 'user', content: 'Why?' }];
    const answer = await who.api('POST', `${ASSISTANTS}/${id}/completions`, { messages });
    expect(answer.status).toBe(200);
    return answer.json.choices[0].message.content;
  };
  const published = async (connector: string): Promise<number> => {
    const prompts = { system_prompt: 'the hidden prompt', prompt_template: 'the template: {user_input}' };
    const id = await make(teacher, { ...prompts, metadata: { ...CLASSIC, connector } });
    expect((await teacher.api('PUT', `${ASSISTANTS}/${id}/publication`)).status).toBe(200);
    return id;
  };

  it('quotes its material, and shows its prompt to nobody', async () => {
    const id = await published('auto');
    for (const who of [teacher, student]) {
      const seen = await ask(who, id);
      expect(seen).toContain('No material was found for this question.');
      expect(seen).not.toMatch(/hidden prompt|template/);
    }
  });

  it('shows it to everybody where its editor chose the bypass', async () => {
    expect(await ask(student, await published('bypass'))).toContain('the hidden prompt');
  });
});

describe('sharing', () => {
  it('answers with people and refuses strangers by position', async () => {
    const id = await make(teacher);
    const put = (body: object) => teacher.api('PUT', `${ASSISTANTS}/${id}/shares`, body);
    const shared = await put({ shares: [{ email: colleague.email, access: 'edit' }, { email: teacher.email }] });
    expect(shared.json.shares).toEqual([
      { user_id: colleague.userId, email: colleague.email, name: expect.any(String), access: 'edit' },
    ]);
    const refused = await put({
      shares: [{ user_id: student.userId }, { user_id: stranger.userId }, { email: 'nobody@example.edu' }],
    });
    expect([refused.status, paths(refused)]).toEqual([400, ['shares[1]', 'shares[2]']]);
    expect(paths(await put({ user_emails: [stranger.email] }))).toEqual(['user_emails[0]']);
    expect(paths(await put({ shares: [{ access: 'own' }] }))).toEqual(expect.arrayContaining(['shares[0].access']));
    expect((await teacher.api('GET', `${ASSISTANTS}/${id}/shares`)).json.shares).toHaveLength(1);
    expect((await colleague.api('PUT', `${ASSISTANTS}/${id}/shares`, { shares: [] })).status).toBe(403);
    expect((await colleague.api('DELETE', `${ASSISTANTS}/${id}`)).status).toBe(403);
    expect((await colleague.api('PATCH', `${ASSISTANTS}/${id}`, { name: 'By an editor' })).json.owner.id).toBe(
      teacher.userId,
    );
  });
});

describe('feature switches', () => {
  const set = (features: object) => app.api('PATCH', '/api/v1/organizations/default', { features });

  it('hide what they switch off and leave classic assistants alone', async () => {
    const id = await make(teacher);
    expect((await set({ multi_tool: false, functions: false, sharing: false, publishing: false })).status).toBe(200);
    try {
      const refused = [
        await teacher.api('POST', ASSISTANTS, { name: 'x', metadata: multiTool() }),
        await teacher.api('PATCH', `${ASSISTANTS}/${id}`, { metadata: multiTool() }),
        await teacher.api('POST', `${ASSISTANTS}/import`, { name: 'x', metadata: multiTool() }),
        await teacher.api('POST', ASSISTANTS, { name: 'x', metadata: { ...CLASSIC, tools: ['weather'] } }),
        await teacher.api('PUT', `${ASSISTANTS}/${id}/shares`, { shares: [{ email: colleague.email }] }),
        await teacher.api('PUT', `${ASSISTANTS}/${id}/publication`),
      ];
      expect(refused.map(({ status, json }) => [status, json.code])).toEqual(
        refused.map(() => [403, 'feature_disabled']),
      );
      expect((await teacher.api('POST', ASSISTANTS, { name: 'x', metadata: CLASSIC })).status).toBe(201);
    } finally {
      await set({ multi_tool: true, functions: true, sharing: true, publishing: true });
    }
  });
});
