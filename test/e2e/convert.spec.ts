import { filesForm, startApp, type TestApp } from '../support/app';
import { foreignOrganization, keyOf, type Person, person } from '../support/people';

const ASSISTANTS = '/api/v1/assistants';
const CLASSIC = { prompt_processor: 'simple_augment', connector: 'bypass', llm: 'debug-bypass' };
const TEMPLATE = 'X {context} Y {user_input} \\frac{a}{b}';

let app: TestApp;
let teacher: Person;
let colleague: Person;

beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
  colleague = await person(app);
});
afterAll(() => app.stop());

/** A classic assistant over a file of the teacher's; the metadata as a string, in nobody's formatting but its own. */
async function fileAssistant(who: Person = teacher, odd = 'kept'): Promise<{ id: number; file: string }> {
  const upload = await who.api('POST', '/api/v1/files', filesForm([`brief-${odd}.md`, 'The brief: $& {user_input}.']));
  const file: string = (upload.json.items ?? upload.json.files ?? upload.json)[0].id;
  const id = await made(who, { ...CLASSIC, rag_processor: 'single_file_rag', file_path: file, odd_key: { [odd]: 1 } });
  return { id, file };
}

async function made(who: Person, metadata: object, more: object = {}): Promise<number> {
  const body = { name: 'Tutor', prompt_template: TEMPLATE, metadata: JSON.stringify(metadata, null, 1), ...more };
  const answer = await who.api('POST', ASSISTANTS, body);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.json.id;
}

const convert = (who: Pick<Person, 'api'>, id: number, query = '', headers: Record<string, string> = {}) =>
  who.api('POST', `${ASSISTANTS}/${id}/convert${query}`, undefined, headers);
const read = async (who: Person, id: number) => (await who.api('GET', `${ASSISTANTS}/${id}`)).json;
const codes = (json: { errors?: { code?: string }[] }) => json.errors?.map(({ code }) => code);

/** What the model would be sent, runs of white space as one. */
async function prompt(who: Person, id: number): Promise<string> {
  const messages = [{ role: 'user', content: 'Why {context}?' }];
  const answer = await who.api('POST', `${ASSISTANTS}/${id}/completions`, { messages });
  return answer.json.choices[0].message.content.replace(/(\s|\\n)+/g, ' ');
}

describe('converting an assistant', () => {
  it('tells first what would change, and writes nothing', async () => {
    const { id, file } = await fileAssistant();
    const before = await read(teacher, id);
    const plan = await convert(teacher, id, '?dry_run=true');
    expect(plan.status).toBe(200);
    expect(plan.json).toMatchObject({
      dry_run: true,
      status: 'ready',
      version: 1,
      from_version: 1,
      to_version: 3,
      template: { before: TEMPLATE, after: 'X {1_file} Y {user_input} \\frac{a}{b}' },
      metadata: {
        before: before.metadata,
        after: { assistant_type: 'multi_tool', odd_key: { kept: 1 }, tools: [{ plugin: 'single_file_rag' }] },
      },
      problems: [],
      differences: [],
    });
    expect(plan.json.metadata.after).not.toHaveProperty('file_path');
    expect(plan.json.diff).toEqual(
      expect.arrayContaining([
        { path: 'prompt_template', from: TEMPLATE, to: 'X {1_file} Y {user_input} \\frac{a}{b}' },
        { path: 'metadata.file_path', from: file, to: null },
        { path: 'metadata.assistant_type', from: null, to: 'multi_tool' },
      ]),
    );
    expect(plan.json.diff.map(({ path }: { path: string }) => path)).not.toContain('metadata.odd_key');
    expect(await read(teacher, id)).toEqual(before);
  });

  it('keeps its prompts, and the old version can be restored to the letter', async () => {
    const { id } = await fileAssistant(teacher, 'restored');
    const [before, asked] = [await read(teacher, id), await prompt(teacher, id)];
    expect(asked).toContain('The brief: $& {user_input}.');
    const done = await convert(teacher, id, '', { 'if-match': '"1"' });
    expect([done.status, done.headers.get('etag')]).toEqual([200, '"2"']);
    expect(done.json).toEqual(await read(teacher, id));
    expect(done.json).toMatchObject({ type: 'multi_tool', version: 2, access: 'owner' });
    expect(await prompt(teacher, id)).toBe(asked);
    const versions = await teacher.api('GET', `${ASSISTANTS}/${id}/versions`);
    expect(versions.json.items).toMatchObject([
      { version: 2, reason: 'convert', type: 'multi_tool', author_id: teacher.userId },
      { version: 1, reason: 'create', type: 'classic' },
    ]);
    const restored = await teacher.api('POST', `${ASSISTANTS}/${id}/versions/1/restore`);
    expect(restored.status).toBe(200);
    const { prompt_template, metadata, type } = before;
    expect(await read(teacher, id)).toMatchObject({ prompt_template, metadata, type, version: 3 });
    expect(await prompt(teacher, id)).toBe(asked);
  });

  it('leaves one entry in the audit, with both documents, by whoever asked', async () => {
    const { id } = await fileAssistant(teacher, 'audited');
    await convert(teacher, id);
    const audit = await app.api('GET', '/api/v1/organizations/default/audit?limit=5');
    const entries = audit.json.items.filter(({ target }: any) => target.type === 'assistant' && target.id === `${id}`);
    expect(entries).toMatchObject([
      {
        action: 'assistant.convert',
        actor: { user_id: teacher.userId },
        before: { version: 1, format_version: 1, type: 'classic', prompt_template: TEMPLATE },
        after: { version: 2, format_version: 3, type: 'multi_tool' },
      },
      { action: 'assistant.create' },
    ]);
    expect(entries[0].before.metadata).toContain('"odd_key"');
    const lines = app
      .log()
      .split('\n')
      .filter((line) => line.includes('metadata rewritten'));
    expect(lines.filter((line) => line.includes(entries[0].id))).toHaveLength(1);
    expect(lines.join()).not.toMatch(/odd_key|frac/);
  });

  it('needs nothing that has gone meanwhile, and neither does its undoing', async () => {
    const { id, file } = await fileAssistant(teacher, 'gone');
    await teacher.api('DELETE', `/api/v1/files/${file}`);
    expect((await convert(teacher, id)).status).toBe(200);
    const restored = await teacher.api('POST', `${ASSISTANTS}/${id}/versions/1/restore`);
    expect([restored.status, restored.json.type]).toEqual([200, 'classic']);
    // Without the conversion in between it is a save like any other, which tells what is gone.
    await teacher.api('PATCH', `${ASSISTANTS}/${id}`, { metadata: CLASSIC });
    const again = await teacher.api('POST', `${ASSISTANTS}/${id}/versions/1/restore`);
    expect([again.status, (await read(teacher, id)).diagnostics.map(({ code }: { code: string }) => code)]).toEqual([
      200,
      expect.arrayContaining(['tool.inaccessible']),
    ]);
  });

  it('is a conflict when there is nothing to convert', async () => {
    const { id } = await fileAssistant(teacher, 'twice');
    await convert(teacher, id);
    expect((await convert(teacher, id)).json).toMatchObject({ status: 409, code: 'conflict' });
    expect((await convert(teacher, id, '?dry_run=true')).json).toMatchObject({
      status: 'current',
      from_version: 3,
      diff: [],
    });
    expect((await read(teacher, id)).version).toBe(2);
  });

  it('is refused with every reason, and stays as it is', async () => {
    const id = await made(teacher, { ...CLASSIC, rag_processor: 'simple_rag', prompt_processor: 'kvcache_augment' });
    const refused = await convert(teacher, id);
    expect([refused.status, refused.json.code]).toEqual([422, 'definition_refused']);
    expect(codes(refused.json)?.length).toBeGreaterThan(0);
    const plan = await convert(teacher, id, '?dry_run=true');
    expect(plan.json).toMatchObject({ status: 'refused', from_version: 1, diff: [] });
    expect(plan.json.problems.length).toBeGreaterThan(0);
    expect((await read(teacher, id)).version).toBe(1);
  });

  it('happens once, however many ask, and a repeated request gets the same answer', async () => {
    const { id } = await fileAssistant(teacher, 'many');
    const answers = await Promise.all(Array.from({ length: 8 }, () => convert(teacher, id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect((await read(teacher, id)).version).toBe(2);

    const { id: other } = await fileAssistant(teacher, 'repeated');
    const key = { 'idempotency-key': 'convert-1' };
    const first = await convert(teacher, other, '', key);
    const again = await convert(teacher, other, '', key);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(again.json).toEqual(first.json);
  });

  it('is repeated for nobody who has lost the assistant, and a dry run looks anew', async () => {
    const { id } = await fileAssistant(teacher, 'lost');
    const share = (shares: object[]) => teacher.api('PUT', `${ASSISTANTS}/${id}/shares`, { shares });
    await share([{ email: colleague.email, access: 'edit' }]);
    const key = { 'idempotency-key': 'convert-lost' };
    expect((await convert(colleague, id, '?dry_run=true', key)).json).toMatchObject({ status: 'ready' });
    const restore = () => colleague.api('POST', `${ASSISTANTS}/${id}/versions/1/restore`, undefined, key);
    expect([(await convert(colleague, id, '', key)).status, (await restore()).status]).toEqual([200, 200]);
    expect((await convert(colleague, id, '', key)).headers.get('idempotent-replayed')).toBe('true');
    await share([{ email: colleague.email, access: 'use' }]);
    expect([(await convert(colleague, id, '', key)).status, (await restore()).status]).toEqual([403, 403]);
    await share([]);
    const answers = [await convert(colleague, id, '', key), await restore()];
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect((await convert(colleague, id, '?dry_run=true', key)).status).toBe(404);
  });
});

describe('the right to convert', () => {
  it('belongs to all who may edit: owner, people with the share, administrators', async () => {
    const { id } = await fileAssistant(teacher, 'shared');
    expect((await convert(colleague, id)).status).toBe(404);
    await teacher.api('PUT', `${ASSISTANTS}/${id}/shares`, { shares: [{ email: colleague.email, access: 'use' }] });
    expect((await convert(colleague, id)).status).toBe(403);
    await teacher.api('PUT', `${ASSISTANTS}/${id}/shares`, { shares: [{ email: colleague.email, access: 'edit' }] });
    expect((await convert(colleague, id)).json).toMatchObject({ type: 'multi_tool', access: 'edit' });
    // What the file says is still the owner's to read only, and restoring refers to nothing new.
    expect((await colleague.api('POST', `${ASSISTANTS}/${id}/versions/1/restore`)).status).toBe(200);
    expect((await convert(app as unknown as Person, id)).status).toBe(200);
  });

  it('does not belong to members, keys for chatting or reading, and people of another organization', async () => {
    const { id } = await fileAssistant(teacher, 'guarded');
    await teacher.api('PUT', `${ASSISTANTS}/${id}/publication`);
    const member = await person(app, { role: 'member' });
    const foreign = await person(app, {
      organization: await foreignOrganization(app),
      role: 'owner',
      scopes: ['read', 'write', 'admin'],
    });
    const reading = await keyOf(app, teacher.email, { scopes: ['chat', 'read'] });
    for (const query of ['', '?dry_run=true']) {
      expect((await convert(member, id, query)).status).toBe(403);
      expect((await convert(reading, id, query)).status).toBe(403);
      expect((await convert(foreign, id, query)).status).toBe(404);
      expect(
        (await app.api('POST', `${ASSISTANTS}/${id}/convert${query}`, undefined, { authorization: '' })).status,
      ).toBe(401);
    }
    expect((await convert(teacher, id, '?dry_run=perhaps')).status).toBe(400);
    expect((await convert(teacher, id, '?dry_run=1')).status).toBe(400);
    expect((await convert(teacher, id, '', { 'if-match': '"7"' })).status).toBe(412);
    expect((await read(teacher, id)).version).toBe(1);
  });

  it('belongs to nobody where multi-tool assistants are switched off', async () => {
    const { id } = await fileAssistant(teacher, 'off');
    await app.api('PATCH', '/api/v1/organizations/default', { features: { multi_tool: false } });
    expect((await convert(teacher, id)).json).toMatchObject({ status: 403, code: 'feature_disabled' });
    expect((await convert(teacher, id, '?dry_run=true')).status).toBe(403);
    await app.api('PATCH', '/api/v1/organizations/default', { features: { multi_tool: null } });
    expect((await convert(teacher, id)).status).toBe(200);
  });
});

describe('the policy `on_access`', () => {
  it('migrates what is read, used or changed, one by one, and never what is listed', async () => {
    const ids = { read: 0, used: 0, changed: 0, listed: 0 };
    for (const way of Object.keys(ids) as (keyof typeof ids)[]) ids[way] = (await fileAssistant(teacher, way)).id;
    const strange = await made(teacher, {
      ...CLASSIC,
      prompt_processor: 'kvcache_augment',
      rag_processor: 'simple_rag',
    });
    const { id: restored } = await fileAssistant(teacher, 'taken back');
    await convert(teacher, restored);
    await teacher.api('POST', `${ASSISTANTS}/${restored}/versions/1/restore`);
    const replica = await startApp({ env: { MIGRATION_POLICY: 'on_access' }, reset: false });
    const there = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
      replica.api(method, ASSISTANTS + path, body, { authorization: `Bearer ${teacher.key}`, ...headers });
    try {
      const list = await there('GET', '?limit=50');
      expect(list.json.items.find(({ id }: { id: number }) => id === ids.listed)).toMatchObject({ type: 'classic' });

      const got = await there('GET', `/${ids.read}`);
      expect(got.json).toMatchObject({
        type: 'multi_tool',
        version: 2,
        prompt_template: expect.stringContaining('{1_file}'),
      });
      expect(got.headers.get('etag')).toBe('"2"');

      const messages = [{ role: 'user', content: 'Q' }];
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => there('POST', `/${ids.used}/completions`, { messages })),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
      expect(await read(teacher, ids.used)).toMatchObject({ type: 'multi_tool', version: 2 });

      const patched = await there(
        'PATCH',
        `/${ids.changed}`,
        { prompt_template: 'Z {context} {user_input}' },
        { 'if-match': '"1"' },
      );
      expect(patched.json).toMatchObject({
        type: 'multi_tool',
        version: 3,
        prompt_template: 'Z {1_file} {user_input}',
      });
      const history = await there('GET', `/${ids.changed}/versions`);
      expect(history.json.items).toMatchObject([
        { reason: 'migrate', author_id: null },
        { reason: 'update', author_id: teacher.userId },
        { reason: 'create' },
      ]);

      expect((await there('GET', `/${strange}`)).json).toMatchObject({ type: 'classic', version: 1 });
      expect((await there('GET', `/${restored}`)).json).toMatchObject({ type: 'classic', version: 3 });
      expect(await read(teacher, ids.listed)).toMatchObject({ type: 'classic', version: 1 });
    } finally {
      await replica.stop();
    }
  });
});
