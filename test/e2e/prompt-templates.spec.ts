import { startApp, type TestApp } from '../support/app';
import { foreignOrganization, type Person, person } from '../support/people';

const TEMPLATES = '/api/v1/prompt-templates';
let app: TestApp;
let teacher: Person;
let colleague: Person;
let stranger: Person;
beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
  colleague = await person(app);
  stranger = await person(app, { organization: await foreignOrganization(app) });
});
afterAll(() => app.stop());

const make = async (who: Person, body: object = {}): Promise<string> => {
  const answer = await who.api('POST', TEMPLATES, { name: 'Mine', ...body });
  expect(answer.status).toBe(201);
  return answer.json.id;
};
const names = (answer: { json: any }): string[] => answer.json.items.map(({ name }: { name: string }) => name);

describe('prompt templates', () => {
  it('are made, read, changed and deleted', async () => {
    const body = {
      name: 'Course',
      description: 'D',
      system_prompt: 'S',
      prompt_template: '{context}{user_input}',
      type: 'classic',
    };
    const made = await teacher.api('POST', TEMPLATES, body);
    expect([made.status, made.json]).toEqual([
      201,
      {
        ...body,
        id: expect.any(String),
        shared: false,
        builtin: false,
        owner_id: teacher.userId,
        version: 1,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    const path = `${TEMPLATES}/${made.json.id}`;
    expect((await teacher.api('GET', path)).json).toEqual(made.json);
    const changed = await teacher.api('PATCH', path, { name: 'Course 2', type: 'multi_tool' });
    expect(changed.json).toMatchObject({ name: 'Course 2', type: 'multi_tool', system_prompt: 'S' });
    expect((await teacher.api('DELETE', path)).status).toBe(204);
    expect((await teacher.api('GET', path)).status).toBe(404);
  });

  it('are private until shared, and only their owner changes them', async () => {
    const id = await make(teacher, { name: 'Shared one' });
    const path = `${TEMPLATES}/${id}`;
    expect((await colleague.api('GET', path)).status).toBe(404);
    expect((await teacher.api('PUT', `${path}/share`, { shared: true })).json.shared).toBe(true);
    expect((await colleague.api('GET', path)).json.name).toBe('Shared one');
    expect(names(await colleague.api('GET', TEMPLATES))).toContain('Shared one');
    for (const [method, sub, body] of [
      ['PATCH', '', { name: 'x' }],
      ['DELETE', '', undefined],
      ['PUT', '/share', { shared: false }],
    ] as const)
      expect((await colleague.api(method, path + sub, body)).status).toBe(403);
    const copy = await colleague.api('POST', `${path}/duplicate`);
    expect([copy.status, copy.json.name, copy.json.shared, copy.json.owner_id]).toEqual([
      201,
      'Copy of Shared one',
      false,
      colleague.userId,
    ]);
    await teacher.api('PUT', `${path}/share`, { shared: false });
    expect((await colleague.api('GET', path)).status).toBe(404);
  });

  it('of another organization do not exist', async () => {
    const id = await make(teacher, { name: 'Inside' });
    await teacher.api('PUT', `${TEMPLATES}/${id}/share`, { shared: true });
    for (const [method, sub, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', '', undefined],
      ['POST', '/duplicate', undefined],
      ['PUT', '/share', { shared: true }],
    ] as const)
      expect([method, sub, (await stranger.api(method, `${TEMPLATES}/${id}${sub}`, body)).status]).toEqual([
        method,
        sub,
        404,
      ]);
    expect(names(await stranger.api('GET', `${TEMPLATES}?limit=100`))).not.toContain('Inside');
    expect((await teacher.api('GET', `${TEMPLATES}/not-an-id`)).status).toBe(404);
  });

  it('come with starters of both types that can be copied and never changed', async () => {
    const { items, total, next_cursor } = (await teacher.api('GET', `${TEMPLATES}/starters`)).json;
    expect([total, next_cursor]).toEqual([items.length, null]);
    const first = (await teacher.api('GET', `${TEMPLATES}/starters?limit=2`)).json;
    const rest = (await teacher.api('GET', `${TEMPLATES}/starters?cursor=${first.next_cursor}`)).json;
    expect([...first.items, ...rest.items]).toEqual(items);
    expect(new Set(items.map(({ type }: { type: string }) => type))).toEqual(new Set(['classic', 'multi_tool']));
    for (const starter of items) {
      expect(starter).toMatchObject({ builtin: true, shared: true, owner_id: null });
      expect(starter.prompt_template).toContain('{user_input}');
      expect((await teacher.api('PATCH', `${TEMPLATES}/${starter.id}`, { name: 'x' })).status).toBe(403);
      expect((await teacher.api('DELETE', `${TEMPLATES}/${starter.id}`)).status).toBe(403);
    }
    const copy = await teacher.api('POST', `${TEMPLATES}/${items[0].id}/duplicate`);
    expect(copy.json).toMatchObject({ name: items[0].name, prompt_template: items[0].prompt_template, builtin: false });
  });

  it('duplicate a name that would be cut inside a character', async () => {
    const id = await make(teacher, { name: `${'a'.repeat(191)}😀` });
    expect((await teacher.api('POST', `${TEMPLATES}/${id}/duplicate`)).status).toBe(201);
  });

  it('page through stored ones and starters alike', async () => {
    const lister = await person(app);
    await make(lister, { name: 'A' });
    await make(lister, { name: 'B' });
    const seen: string[] = [];
    let cursor: string | null = '';
    let total: number;
    do {
      const page = await lister.api('GET', `${TEMPLATES}?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(page.status).toBe(200);
      seen.push(...page.json.items.map(({ id }: { id: string }) => id));
      cursor = page.json.next_cursor;
      total = page.json.total;
    } while (cursor !== null);
    expect([seen.length, new Set(seen).size]).toEqual([total, total]);
    expect(names(await lister.api('GET', `${TEMPLATES}?owner=me`))).toEqual(['B', 'A']);
    expect(names(await lister.api('GET', `${TEMPLATES}?q=research&type=multi_tool`))).toEqual(['Research desk']);
  });

  it.each(['id', 'owner_id', 'organization_id', 'shared', 'builtin', 'created_at'])(
    'never take %s from a body',
    async (name) => {
      const id = await make(teacher);
      for (const answer of [
        await teacher.api('POST', TEMPLATES, { name: 'x', [name]: 1 }),
        await teacher.api('PATCH', `${TEMPLATES}/${id}`, { [name]: 1 }),
      ])
        expect([answer.status, answer.json.errors.map((each: any) => each.path)]).toEqual([400, [name]]);
    },
  );

  it('cannot be shared where sharing is switched off', async () => {
    const id = await make(teacher);
    await app.api('PATCH', '/api/v1/organizations/default', { features: { sharing: false } });
    const refused = await teacher.api('PUT', `${TEMPLATES}/${id}/share`, { shared: true });
    await app.api('PATCH', '/api/v1/organizations/default', { features: { sharing: true } });
    expect([refused.status, refused.json.code]).toEqual([403, 'feature_disabled']);
  });
});
