import { uuidv7 } from '@bellwether/kernel';
import SPECIFIED from '../fixtures/specified-definitions.json';
import { filesForm, startApp, type TestApp } from '../support/app';
import { type KbServer, startKbServer } from '../support/kb-server';
import { foreignOrganization, type Person, person } from '../support/people';

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
const codes = (answer: { json: any }): string[] => answer.json.diagnostics.map(({ code }: { code: string }) => code);

describe('references', () => {
  const upload = async (who: Person): Promise<Record<'kb' | 'rubric' | 'file' | 'assistant', string>> => {
    const kb = await who.api('POST', '/api/v1/knowledge-bases', { name: `KB ${who.email}` });
    const rubric = await who.api('POST', '/api/v1/rubrics', RUBRIC);
    const file = await who.api('POST', '/api/v1/files', filesForm([`notes-${who.userId}.md`, '# Notes']));
    const stored = file.json.files?.[0] ?? file.json.items?.[0] ?? file.json[0] ?? file.json;
    return { kb: kb.json.id, rubric: rubric.json.id, file: stored.id, assistant: String(await make(who)) };
  };
  const RUBRIC = {
    rubricId: 'rubric-essay-1',
    title: 'Essay',
    description: 'D',
    metadata: { createdAt: '2026-01-01T00:00:00Z', modifiedAt: '2026-01-01T00:00:00Z' },
    criteria: [
      {
        id: 'c1',
        name: 'Thesis',
        description: 'Clear',
        weight: 100,
        levels: [
          { id: 'l1', score: 4, label: 'Good', description: 'g' },
          { id: 'l2', score: 1, label: 'Weak', description: 'w' },
        ],
      },
    ],
    scoringType: 'points',
    maxScore: 10,
  };
  const everywhere = (
    ids: Record<'kb' | 'rubric' | 'file' | 'assistant', string>,
  ): [string, Record<string, unknown>][] => [
    [
      'metadata.tools[0].config.collections[0]',
      { metadata: multiTool({ plugin: 'simple_rag', config: { collections: [ids.kb] } }) },
    ],
    [
      'metadata.tools[0].config.rubric_id',
      { metadata: multiTool({ plugin: 'rubric_rag', config: { rubric_id: ids.rubric } }) },
    ],
    [
      'metadata.tools[0].config.file_path',
      { metadata: multiTool({ plugin: 'single_file_rag', config: { file_path: ids.file }, enabled: false }) },
    ],
    [
      'metadata.tools[0].fallback.config.collections[0]',
      {
        metadata: multiTool({
          plugin: 'no_rag',
          fallback: { plugin: 'simple_rag', config: { collections: [ids.kb] } },
        }),
      },
    ],
    [
      'metadata.functions[0].kb_id',
      { metadata: { ...CLASSIC, functions: [{ type: 'knowledge_base', kb_id: ids.kb }] } },
    ],
    [
      'metadata.functions[0].rubric_id',
      { metadata: { ...CLASSIC, functions: [{ type: 'rubric', rubric_id: ids.rubric }] } },
    ],
    [
      'metadata.functions[0].assistant_id',
      { metadata: { ...CLASSIC, functions: [{ type: 'assistant', assistant_id: Number(ids.assistant) }] } },
    ],
    ['RAG_collections[0]', { metadata: { ...CLASSIC, rag_processor: 'simple_rag' }, RAG_collections: [ids.kb] }],
    ['metadata.rubric_id', { metadata: { ...CLASSIC, rag_processor: 'rubric_rag', rubric_id: ids.rubric } }],
    ['metadata.file_path', { metadata: { ...CLASSIC, rag_processor: 'single_file_rag', file_path: ids.file } }],
  ];

  const inaccessible = ({ json }: { json: any }): string[] =>
    json.diagnostics.flatMap(({ code, path }: any) => (code === 'tool.inaccessible' ? [path] : []));
  /** A disabled tool is not judged; it is switched on here. */
  const on = (body: Record<string, unknown>): Record<string, unknown> =>
    JSON.parse(JSON.stringify(body).replace('"enabled":false', '"enabled":true'));
  const ask = (id: number) =>
    teacher.api('POST', `${ASSISTANTS}/${id}/completions`, { messages: [{ role: 'user', content: 'essay?' }] });

  it.each(SPECIFIED)('in a document as it was specified are saved as printed: $name', async (printed) => {
    const newcomer = await person(app);
    for (const metadata of [printed.metadata, JSON.stringify(printed.metadata)]) {
      const answer = await newcomer.api('POST', ASSISTANTS, { name: 'Printed', metadata });
      expect([answer.status, inaccessible(answer).sort()]).toEqual([201, printed.inaccessible]);
      const asked = await newcomer.api('PATCH', `${ASSISTANTS}/${answer.json.id}`, { system_prompt: 'You are kind.' });
      expect([asked.status, inaccessible(asked).sort()]).toEqual([200, printed.inaccessible]);
    }
  });

  it.each(['another organization', 'another member'])(
    'of %s are saved with a diagnostic that gives nothing away',
    async (whose) => {
      const target = await make(teacher);
      const owner = whose === 'another member' ? colleague : stranger;
      const ids = await upload(owner);
      const missing = { kb: uuidv7(), rubric: uuidv7(), file: 'no/such.md', assistant: '2147483' };
      const neutral = new Map<string, string>();
      for (const references of [missing, ids])
        for (const [path, given] of everywhere(references)) {
          const body = on(given);
          for (const answer of [
            await teacher.api('POST', ASSISTANTS, { name: 'x', ...body }),
            await teacher.api('PATCH', `${ASSISTANTS}/${target}`, body),
            await teacher.api('POST', `${ASSISTANTS}/import`, { name: 'Imported', ...body }),
          ]) {
            expect([path, answer.status < 300, inaccessible(answer)]).toEqual([path, true, [path]]);
            const [{ message }] = answer.json.diagnostics.filter((each: { path: string }) => each.path === path);
            const said = Object.values(references).reduce((text, value) => text.replace(value, '…'), message);
            expect(said).toBe(neutral.get(path) ?? said);
            neutral.set(path, said);
          }
        }
      expect((await teacher.api('PUT', `${ASSISTANTS}/${target}/publication`)).status).toBe(409);
    },
  );

  it.each(['an editor', 'an editor with their own things', 'an administrator'])(
    'that an edit of %s adds are bound only within reach of the owner and of whoever edits',
    async (who) => {
      const ids = await upload(teacher);
      const references = who === 'an editor with their own things' ? await upload(colleague) : ids;
      const editor = who === 'an administrator' ? { api: app.api } : colleague;
      for (const [path, given] of everywhere(references)) {
        const body = { prompt_template: '{1_context}{1_rubric}{1_file}{context}{user_input}', ...on(given) };
        const id = await make(teacher);
        await teacher.api('PUT', `${ASSISTANTS}/${id}/shares`, {
          shares: [{ email: colleague.email, access: 'edit' }],
        });
        const answer = await editor.api('PATCH', `${ASSISTANTS}/${id}`, body);
        expect([path, answer.status, inaccessible(answer)]).toEqual([path, 200, [path]]);
        expect((await ask(id)).text).not.toMatch(/Notes|Thesis/);
        // Neither a change of something else nor the other editor's own save binds it.
        await editor.api('PATCH', `${ASSISTANTS}/${id}`, { system_prompt: 'Be brief.' });
        expect(inaccessible(await teacher.api('GET', `${ASSISTANTS}/${id}`))).toEqual([path]);
        if (references === ids) {
          const again = await teacher.api('PATCH', `${ASSISTANTS}/${id}`, body);
          expect([path, again.status, inaccessible(again)]).toEqual([path, 200, []]);
        }
      }
    },
  );

  it('that an editor first writes where no tool reads them are bound by no later save of theirs', async () => {
    const ids = await upload(teacher);
    for (const [path, given] of everywhere(ids)) {
      const body: Record<string, unknown> = {
        prompt_template: '{1_context}{1_rubric}{1_file}{context}{user_input}',
        ...on(given),
      };
      const id = await make(teacher);
      await teacher.api('PUT', `${ASSISTANTS}/${id}/shares`, { shares: [{ email: colleague.email, access: 'edit' }] });
      const { tools, ...metadata } = body['metadata'] as Record<string, any>;
      const unread = { ...metadata, functions: [], rag_processor: 'no_rag' };
      const entries = tools?.map(({ config, fallback }: any) => ({ plugin: 'no_rag', ...(config ?? fallback.config) }));
      const hidden = { ...body, metadata: entries === undefined ? unread : { ...metadata, tools: entries } };
      expect([path, (await colleague.api('PATCH', `${ASSISTANTS}/${id}`, hidden)).status]).toEqual([path, 200]);
      const shown = await colleague.api('PATCH', `${ASSISTANTS}/${id}`, body);
      expect([path, shown.status, inaccessible(shown)]).toEqual([path, 200, [path]]);
      expect((await ask(id)).text).not.toMatch(/Notes|Thesis/);
    }
  });

  it('that both may read are bound when an editor adds them', async () => {
    const ids = await upload(teacher);
    const id = await make(teacher);
    await teacher.api('PUT', `${ASSISTANTS}/${id}/shares`, { shares: [{ email: colleague.email, access: 'edit' }] });
    await teacher.api('PUT', `/api/v1/knowledge-bases/${ids.kb}/shares`, { users: [colleague.email] });
    const shared = { metadata: multiTool({ plugin: 'simple_rag', config: { collections: [ids.kb] } }) };
    expect(inaccessible(await colleague.api('PATCH', `${ASSISTANTS}/${id}`, shared))).toEqual([]);
  });

  it('that the owner chose stay, whoever edits the rest, and cannot be had by a copy', async () => {
    const ids = await upload(teacher);
    for (const [path, given] of everywhere(ids)) {
      const body = on(given);
      const id = await make(teacher, body);
      await teacher.api('PUT', `${ASSISTANTS}/${id}/shares`, { shares: [{ email: colleague.email, access: 'edit' }] });
      const edit = { prompt_template: 'Briefly: {user_input}', metadata: { ...(body['metadata'] as object), odd: 1 } };
      const edited = await colleague.api('PATCH', `${ASSISTANTS}/${id}`, edit);
      expect([path, edited.status, inaccessible(edited)]).toEqual([path, 200, []]);
      const copy = await colleague.api('POST', `${ASSISTANTS}/${id}/duplicate`, {});
      expect([path, copy.status, copy.json.access, copy.json.dropped.map((each: any) => each.path)]).toEqual([
        path,
        201,
        'owner',
        [path],
      ]);
    }
  });

  it('that the owner took out do not come back through an old version', async () => {
    const ids = await upload(teacher);
    const metadata = multiTool({ plugin: 'simple_rag', config: { collections: [ids.kb] } });
    const id = await make(teacher, { metadata });
    await teacher.api('PATCH', `${ASSISTANTS}/${id}`, { metadata: multiTool({ plugin: 'no_rag' }) });
    await teacher.api('PUT', `${ASSISTANTS}/${id}/shares`, { shares: [{ email: colleague.email, access: 'edit' }] });
    const restore = (who: Person) => who.api('POST', `${ASSISTANTS}/${id}/versions/1/restore`);
    expect(inaccessible(await restore(colleague))).toHaveLength(1);
    expect(inaccessible(await restore(teacher))).toEqual([]);
  });

  it('a file of the editor’s own under the same path is another file, and a later one of that name is not read', async () => {
    const path = 'same-name.md';
    await colleague.api('POST', '/api/v1/files', filesForm([path, `# ${colleague.email}`]));
    const id = await make(teacher);
    await teacher.api('PUT', `${ASSISTANTS}/${id}/shares`, { shares: [{ email: colleague.email, access: 'edit' }] });
    const body = {
      prompt_template: '{1_file}{user_input}',
      metadata: multiTool({ plugin: 'single_file', config: { file_path: path } }),
    };
    expect(inaccessible(await colleague.api('PATCH', `${ASSISTANTS}/${id}`, body))).toHaveLength(1);
    await teacher.api('POST', '/api/v1/files', filesForm([path, '# Notes of the exam']));
    expect((await ask(id)).text).not.toContain('Notes of the exam');
    expect(inaccessible(await colleague.api('PATCH', `${ASSISTANTS}/${id}`, body))).toHaveLength(1);
    expect((await ask(id)).text).not.toContain('Notes of the exam');
    expect(inaccessible(await teacher.api('PATCH', `${ASSISTANTS}/${id}`, body))).toEqual([]);
    expect((await ask(id)).text).toContain('Notes of the exam');
  });

  it('that were deleted, unshared or paused lock nobody out, and a disabled tool is not judged', async () => {
    const theirs = await upload(colleague);
    await colleague.api('PUT', `/api/v1/knowledge-bases/${theirs.kb}/shares`, { users: [teacher.email] });
    const kb = (metadata: object = {}) => ({
      metadata: multiTool({ plugin: 'simple_rag', config: { collections: [theirs.kb] }, ...metadata }),
    });
    const id = await make(teacher, { prompt_template: '{1_context}{user_input}', ...kb() });
    await colleague.api('PUT', `/api/v1/knowledge-bases/${theirs.kb}/shares`, { users: [] });
    for (const change of [
      { system_prompt: 'corrected' },
      { prompt_template: '{user_input}{1_context}' },
      kb({ label: 'B' }),
    ]) {
      const saved = await teacher.api('PATCH', `${ASSISTANTS}/${id}`, change);
      expect([saved.status, inaccessible(saved)]).toEqual([200, ['metadata.tools[0].config.collections[0]']]);
    }
    expect((await ask(id)).status).toBe(200);
    const off = await teacher.api('PATCH', `${ASSISTANTS}/${id}`, kb({ enabled: false }));
    expect([off.status, inaccessible(off)]).toEqual([200, []]);
    expect((await teacher.api('PUT', `${ASSISTANTS}/${id}/publication`)).status).toBe(200);
    // The owner chose it: shared again, it is read again.
    await colleague.api('PUT', `/api/v1/knowledge-bases/${theirs.kb}/shares`, { users: [teacher.email] });
    expect(inaccessible(await teacher.api('PATCH', `${ASSISTANTS}/${id}`, kb()))).toEqual([]);
    const target = await make(teacher);
    const calling = await make(teacher, {
      metadata: { ...CLASSIC, functions: [{ type: 'assistant', assistant_id: target }] },
    });
    await teacher.api('PUT', `${ASSISTANTS}/${target}/suspension`);
    expect((await teacher.api('PATCH', `${ASSISTANTS}/${calling}`, { system_prompt: 'x' })).status).toBe(200);
    await teacher.api('DELETE', `${ASSISTANTS}/${target}`);
    expect((await teacher.api('PATCH', `${ASSISTANTS}/${calling}`, { system_prompt: 'y' })).status).toBe(200);
  });

  it('out of reach keep their names and are listed, wherever in a list they stand', async () => {
    const [mine, theirs, both] = [await upload(teacher), await upload(colleague), await upload(teacher)];
    await teacher.api('PUT', `/api/v1/knowledge-bases/${both.kb}/shares`, { users: [colleague.email] });
    const id = await make(teacher);
    await teacher.api('PUT', `${ASSISTANTS}/${id}/shares`, { shares: [{ email: colleague.email, access: 'edit' }] });
    const collections = [mine.kb, both.kb, theirs.kb];
    const into = await colleague.api('POST', `${ASSISTANTS}/import?into=${id}`, {
      name: 'Tutor',
      metadata: multiTool({ plugin: 'simple_rag', config: { collections } }),
    });
    expect([into.status, into.json.dropped.map((each: any) => each.path).sort()]).toEqual([
      200,
      [0, 2].map((index) => `metadata.tools[0].config.collections[${index}]`),
    ]);
    expect(into.json.metadata.tools[0].config.collections).toEqual(collections);
  });

  it('that are missing are saved, told and keep the assistant from being published', async () => {
    const id = await make(teacher, {
      prompt_template: '{1_context}{2_rubric}{user_input}',
      metadata: multiTool(
        { plugin: 'simple_rag', config: { collections: [] } },
        { plugin: 'rubric_rag', config: { rubric_id: null } },
      ),
    });
    const read = await teacher.api('GET', `${ASSISTANTS}/${id}`);
    expect(codes(read)).toEqual(['tool.config_incomplete', 'tool.config_incomplete']);
    const refused = await teacher.api('PUT', `${ASSISTANTS}/${id}/publication`);
    expect([refused.status, paths(refused)]).toEqual([
      409,
      ['metadata.tools[0].config.collections', 'metadata.tools[1].config.rubric_id'],
    ]);
  });

  it('to an assistant that calls functions, or to itself, are refused', async () => {
    const calling = await make(teacher, { metadata: { ...CLASSIC, tools: ['weather'] } });
    const call = (assistant_id: number) => ({
      metadata: { ...CLASSIC, functions: [{ type: 'assistant', assistant_id }] },
    });
    const nested = await teacher.api('POST', ASSISTANTS, { name: 'x', ...call(calling) });
    expect([nested.status, nested.json.errors[0].code]).toEqual([422, 'tool_using_assistant']);
    const id = await make(teacher);
    expect((await teacher.api('PATCH', `${ASSISTANTS}/${id}`, call(id))).json.errors[0].code).toBe(
      'tool_using_assistant',
    );
  });
});

describe('names of collections', () => {
  const rag = (name: string) => ({
    prompt_template: '{1_context}{user_input}',
    metadata: multiTool({ plugin: 'simple_rag', placeholder: '1_context', config: { collections: [name] } }),
  });
  const newBase = async (slug: string): Promise<string> => {
    const made = await teacher.api('POST', '/api/v1/knowledge-bases', { name: slug, slug });
    expect(made.status).toBe(201);
    return made.json.id;
  };
  const diagnosed = async (id: number): Promise<string[]> => codes(await teacher.api('GET', `${ASSISTANTS}/${id}`));
  const ask = (id: number) =>
    teacher.api('POST', `${ASSISTANTS}/${id}/completions`, { messages: [{ role: 'user', content: 'Q' }] });
  let server: KbServer;

  beforeAll(async () => {
    server = await startKbServer({ text: 'From the external server.' });
    const knowledge_base = { server_url: server.url, api_token: 't' };
    const saved = await app.api('PATCH', '/api/v1/organizations/default', { knowledge_base });
    expect([saved.status, saved.text]).toEqual([200, expect.any(String)]);
  });
  afterAll(async () => {
    await app.api('PATCH', '/api/v1/organizations/default', { knowledge_base: { server_url: null, api_token: null } });
    await server.stop();
  });

  it.each(['tool', 'classic list', 'function'])(
    'planted in a %s before the knowledge base exists never read it, whoever saves later',
    async (place) => {
      const name = `exam-${place.replace(' ', '-')}`;
      const planted: Record<string, unknown> = {
        tool: rag(name),
        'classic list': {
          prompt_template: '{context}{user_input}',
          metadata: { ...CLASSIC, rag_processor: 'simple_rag' },
          RAG_collections: name,
        },
        function: { metadata: { ...CLASSIC, functions: [{ type: 'knowledge_base', kb_id: name }] } },
      }[place] as Record<string, unknown>;
      const id = await make(teacher);
      await teacher.api('PUT', `${ASSISTANTS}/${id}/shares`, { shares: [{ email: colleague.email, access: 'edit' }] });
      expect((await colleague.api('PATCH', `${ASSISTANTS}/${id}`, planted)).status).toBe(200);
      await newBase(name);
      for (const editor of [colleague, teacher]) {
        const metadata = { ...(planted['metadata'] as object), odd: editor.userId };
        expect((await editor.api('PATCH', `${ASSISTANTS}/${id}`, { metadata })).status).toBe(200);
      }
      if (place === 'function') return;
      const before = server.asked.length;
      expect((await ask(id)).text).toContain('From the external server.');
      expect(server.asked.slice(before).map(({ path }) => path)).toEqual([`/collections/${name}/query`]);
    },
  );

  it('of a private knowledge base mean to an editor who may not read it what an unknown name means', async () => {
    await newBase('private-notes');
    const id = await make(teacher);
    await teacher.api('PUT', `${ASSISTANTS}/${id}/shares`, { shares: [{ email: colleague.email, access: 'edit' }] });
    expect((await colleague.api('PATCH', `${ASSISTANTS}/${id}`, rag('private-notes'))).status).toBe(200);
    const before = server.asked.length;
    await ask(id);
    expect(server.asked.slice(before).map(({ path }) => path)).toEqual(['/collections/private-notes/query']);
  });

  it('of a deleted knowledge base are inaccessible, also when another one gets its slug', async () => {
    const kb = await newBase('reused');
    const bySlug = await make(teacher, rag('reused'));
    const byId = await make(teacher, rag(kb));
    expect([await diagnosed(bySlug), await diagnosed(byId)]).toEqual([[], []]);
    const before = server.asked.length;
    expect((await ask(bySlug)).text).not.toContain('From the external server.');
    await teacher.api('DELETE', `/api/v1/knowledge-bases/${kb}`);
    for (const id of [bySlug, byId]) expect(await diagnosed(id)).toEqual(['tool.inaccessible']);
    await newBase('reused');
    for (const id of [bySlug, byId]) {
      expect(await diagnosed(id)).toEqual(['tool.inaccessible']);
      expect((await ask(id)).status).toBe(200);
    }
    expect(server.asked.length).toBe(before);
    const read = (await teacher.api('GET', `${ASSISTANTS}/${bySlug}`)).json;
    expect(read.metadata.tools[0].config.collections).toEqual(['reused']);
  });

  it('keep their meaning when the slug of a knowledge base changes', async () => {
    const kb = await newBase('old-slug');
    const id = await make(teacher, rag('old-slug'));
    await teacher.api('PATCH', `/api/v1/knowledge-bases/${kb}`, { slug: 'new-slug' });
    expect(await diagnosed(id)).toEqual([]);
  });
});

describe('moving definitions', () => {
  it('exports without ids and owners and imports the same definition', async () => {
    const body = {
      name: 'Traveller',
      description: 'D',
      system_prompt: 'S',
      prompt_template: '{user_input}',
      metadata: { _format_version: 3, ...multiTool(), odd: { kept: 1 } },
      RAG_collections: 'a',
      RAG_Top_k: 7,
    };
    const id = await make(teacher, body);
    const exported = await teacher.api('GET', `${ASSISTANTS}/${id}/export`);
    expect(exported.headers.get('content-disposition')).toContain(`assistant-${id}.json`);
    expect(exported.json).toEqual({ format: 'bellwether.assistant', format_version: 1, assistant: { ...body } });
    const imported = await stranger.api('POST', `${ASSISTANTS}/import`, exported.json);
    expect([imported.status, imported.json.dropped, imported.json.access, imported.json.version]).toEqual([
      201,
      [],
      'owner',
      1,
    ]);
    expect(imported.json).toMatchObject({ ...body, RAG_collections: ['a'] });
  });

  it('reads a row that LAMB exported and reports what it leaves behind', async () => {
    const row = {
      id: 3,
      name: '1_tutor',
      owner: 'someone@else.edu',
      organization_id: 1,
      api_callback: JSON.stringify({ ...CLASSIC, _odd: true }),
      system_prompt: 'S',
      prompt_template: '{user_input}',
      RAG_endpoint: '',
      RAG_Top_k: 3,
      RAG_collections: '',
    };
    const imported = await teacher.api('POST', `${ASSISTANTS}/import`, row);
    expect(imported.status).toBe(201);
    expect(imported.json.id).not.toBe(3);
    expect(imported.json.owner.id).toBe(teacher.userId);
    expect(imported.json.metadata).toEqual({ ...CLASSIC, _odd: true });
    expect(imported.json.dropped.map(({ path }: { path: string }) => path)).toEqual([
      'id',
      'owner',
      'organization_id',
      'RAG_endpoint',
    ]);
  });

  it('tells what an import would change, and writes nothing', async () => {
    const id = await make(teacher, { name: 'Before' });
    const total = (await teacher.api('GET', ASSISTANTS)).json.total;
    const plan = await teacher.api('POST', `${ASSISTANTS}/import?dry_run=true&into=${id}`, {
      name: 'After',
      metadata: multiTool(),
    });
    expect([plan.status, plan.json.dry_run, plan.json.action]).toEqual([200, true, 'update']);
    expect(plan.json.diff.map(({ path, from }: { path: string; from: string }) => [path, from])).toEqual([
      ['name', 'Before'],
      ['metadata', JSON.stringify(CLASSIC)],
    ]);
    expect((await teacher.api('POST', `${ASSISTANTS}/import?dry_run=true`, { name: 'New' })).json.action).toBe(
      'create',
    );
    expect((await teacher.api('GET', ASSISTANTS)).json.total).toBe(total);
    const done = await teacher.api('POST', `${ASSISTANTS}/import?into=${id}`, { name: 'After', metadata: multiTool() });
    expect([done.status, done.json.id, done.json.version, done.json.name, done.json.type]).toEqual([
      200,
      id,
      2,
      'After',
      'multi_tool',
    ]);
  });

  it.each([
    ['no name', {}],
    ['a wrong type', { name: 'x', RAG_Top_k: 'many' }],
    ['bad metadata', { name: 'x', metadata: multiTool({ plugin: 'nope' }) }],
    ['a list', []],
  ])('refuses an import with %s', async (_, body) => {
    expect((await teacher.api('POST', `${ASSISTANTS}/import`, body)).status).toBe(400);
  });

  it('duplicates a name that would be cut inside a character', async () => {
    const { json } = await teacher.api('POST', ASSISTANTS, { name: `${'a'.repeat(191)}😀` });
    expect((await teacher.api('POST', `${ASSISTANTS}/${json.id}/duplicate`, {})).status).toBe(201);
  });

  it('duplicates as a private draft', async () => {
    const id = await make(teacher, { name: 'Original' });
    await teacher.api('PUT', `${ASSISTANTS}/${id}/publication`);
    const copy = await teacher.api('POST', `${ASSISTANTS}/${id}/duplicate`, {});
    expect([copy.status, copy.json.name, copy.json.published, copy.json.version]).toEqual([
      201,
      'Copy of Original',
      false,
      1,
    ]);
    expect((await teacher.api('POST', `${ASSISTANTS}/${id}/duplicate`, { name: 'Mine', owner: 'x' })).status).toBe(400);
  });
});

describe('running', () => {
  const ask = (who: Person, id: number) =>
    who.api('POST', '/v1/chat/completions', {
      model: `lamb_assistant.${id}`,
      messages: [{ role: 'user', content: 'hello {x}' }],
    });

  it('uses the newest definition at once and follows sharing, publication and deletion', async () => {
    const id = await make(teacher, { prompt_template: 'OLD {user_input}' });
    expect((await ask(teacher, id)).text).toContain('OLD');
    await teacher.api('PATCH', `${ASSISTANTS}/${id}`, { prompt_template: 'NEW {user_input}' });
    expect((await ask(teacher, id)).text).toContain('NEW');
    expect((await ask(student, id)).status).toBe(404);
    await teacher.api('PUT', `${ASSISTANTS}/${id}/publication`);
    expect((await ask(student, id)).status).toBe(200);
    expect((await ask(stranger, id)).status).toBe(404);
    const models = async (who: Person): Promise<string[]> =>
      (await who.api('GET', '/v1/models')).json.data.map((model: { id: string }) => model.id);
    expect(await models(student)).toContain(`lamb_assistant.${id}`);
    await teacher.api('DELETE', `${ASSISTANTS}/${id}/publication`);
    expect((await ask(student, id)).status).toBe(404);
    expect(await models(student)).not.toContain(`lamb_assistant.${id}`);
    await teacher.api('DELETE', `${ASSISTANTS}/${id}`);
    expect((await ask(teacher, id)).status).toBe(404);
    expect(await models(teacher)).not.toContain(`lamb_assistant.${id}`);
  });

  it('is counted', async () => {
    const id = await make(teacher);
    await ask(teacher, id);
    await ask(teacher, id);
    const stats = await teacher.api('GET', `${ASSISTANTS}/${id}/stats`);
    expect([stats.status, stats.json.runs, stats.json.failures]).toEqual([200, 2, 0]);
  });

  it('ends when the owner is disabled', async () => {
    const leaving = await person(app);
    const id = await make(leaving);
    await leaving.api('PUT', `${ASSISTANTS}/${id}/publication`);
    expect((await ask(student, id)).status).toBe(200);
    await app.api('PATCH', `/api/v1/organizations/default/members/${leaving.userId}`, { disabled: true });
    expect((await ask(student, id)).status).toBe(404);
  });
});
