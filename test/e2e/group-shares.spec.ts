import { filesForm } from '../support/app';
import {
  ask,
  calling,
  calls,
  callWorld,
  type CallWorld,
  call,
  good,
  METADATA,
  target,
} from '../support/assistant-calls';
import { multiTool, streamed, user } from '../support/chat';
import { foreignOrganization, type Person, person } from '../support/people';
import { until } from '../support/until';

const ASSISTANTS = '/api/v1/assistants';
const KNOWLEDGE_BASES = '/api/v1/knowledge-bases';
const GROUPS = '/api/v1/organizations/default/groups';
const SECRET = 'zirconbluff';

let world: CallWorld;
let maker: Person;
let student: Person;
let other: Person;
let serial = 0;
beforeAll(async () => {
  world = await callWorld();
  maker = world.colleague;
  student = world.student;
  other = await person(world.app, { role: 'member' });
});
afterAll(() => world.stop());

interface Group {
  readonly id: string;
  join(who: Person): Promise<unknown>;
  leave(who: Person): Promise<unknown>;
}

async function group(...people: Person[]): Promise<Group> {
  const { json } = await good(maker.api('POST', GROUPS, { name: `Sharing ${++serial}` }));
  const path = `${GROUPS}/${json.id}/members`;
  const join = (who: Person) => good(maker.api('POST', path, { members: [who.userId] }));
  for (const who of people) await join(who);
  return { id: json.id, join, leave: (who) => good(maker.api('DELETE', `${path}/${who.userId}`)) };
}

const shareAssistant = (id: number, body: object) => maker.api('PUT', `${ASSISTANTS}/${id}/shares`, body);
const accessOf = async (who: Person, id: number) => (await who.api('GET', `${ASSISTANTS}/${id}`)).json.access ?? null;
const modelsOf = async (who: Person): Promise<string[]> =>
  (await good(who.api('GET', '/v1/models'))).json.data.map((model: { id: string }) => model.id);
const listed = async (who: Person): Promise<number[]> =>
  (await good(who.api('GET', `${ASSISTANTS}?limit=100`))).json.items.map((item: { id: number }) => item.id);
const statusOf = async (who: Person, id: number): Promise<number> => (await ask(world, who, id)).status;
const pathsOf = ({ json }: { json: any }): string[] => json.errors.map(({ path }: { path: string }) => path);

describe('an assistant that is shared with a group', () => {
  it('is used by its members, and ends for who leaves, everywhere at once', async () => {
    const id = await target(maker);
    const course = await group(student);
    expect(await statusOf(student, id)).toBe(404);
    const shared = await good(shareAssistant(id, { groups: [{ group_id: course.id }] }));
    expect(shared.json).toEqual({
      shares: [],
      groups: [{ group_id: course.id, name: expect.stringContaining('Sharing'), access: 'use' }],
    });
    const views = async (who: Person) => [
      await accessOf(who, id),
      (await listed(who)).includes(id),
      (await modelsOf(who)).includes(`lamb_assistant.${id}`),
      await statusOf(who, id),
    ];
    expect(await views(student)).toEqual(['use', true, true, 200]);
    expect(await views(other)).toEqual([null, false, false, 404]);
    await course.join(other);
    expect(await views(other)).toEqual(['use', true, true, 200]);
    await course.leave(student);
    expect(await views(student)).toEqual([null, false, false, 404]);
    expect(await views(other)).toEqual(['use', true, true, 200]);
  });

  it('is edited by the members of a group with that right, and the stronger right counts', async () => {
    const id = await target(maker);
    const [editors, readers] = [await group(world.owner), await group(world.owner)];
    await good(
      shareAssistant(id, {
        shares: [{ user_id: world.owner.userId, access: 'use' }],
        groups: [{ group_id: readers.id }, { group_id: editors.id, access: 'edit' }],
      }),
    );
    expect(await accessOf(world.owner, id)).toBe('edit');
    const saved = await world.owner.api('PATCH', `${ASSISTANTS}/${id}`, { description: 'Ours' }, { 'if-match': '*' });
    expect(saved.status).toBe(200);
    await editors.leave(world.owner);
    expect(await accessOf(world.owner, id)).toBe('use');
    await readers.leave(world.owner);
    expect(await accessOf(world.owner, id)).toBe('use');
    await good(shareAssistant(id, { shares: [] }));
    expect(await accessOf(world.owner, id)).toBeNull();
  });

  it('keeps its groups when a client replaces the people alone, and the other way round', async () => {
    const id = await target(maker);
    const course = await group(student);
    await good(shareAssistant(id, { groups: [{ group_id: course.id }] }));
    const people = await good(shareAssistant(id, { user_emails: [other.email] }));
    expect([people.json.shares.length, people.json.groups.length]).toEqual([1, 1]);
    const groups = await good(shareAssistant(id, { groups: [] }));
    expect([groups.json.shares.length, groups.json.groups.length]).toEqual([1, 0]);
    expect([await accessOf(student, id), await accessOf(other, id)]).toEqual([null, 'use']);
  });

  it('ends with the group', async () => {
    const id = await target(maker);
    const course = await group(student);
    await good(shareAssistant(id, { groups: [{ group_id: course.id, access: 'edit' }] }));
    expect(await statusOf(student, id)).toBe(200);
    await good(maker.api('DELETE', `${GROUPS}/${course.id}`));
    expect([await statusOf(student, id), await accessOf(student, id)]).toEqual([404, null]);
    expect((await good(maker.api('GET', `${ASSISTANTS}/${id}/shares`))).json.groups).toEqual([]);
  });

  it('stops answering somebody who leaves the group', async () => {
    const id = await target(maker);
    const course = await group(student);
    await good(shareAssistant(id, { groups: [{ group_id: course.id }] }));
    let asked = 0;
    world.vendor.think(async () => {
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 30_000).unref());
      return { content: 'late' };
    });
    const headers = { authorization: `Bearer ${student.key}` };
    const answer = streamed(world.app, `${ASSISTANTS}/${id}/completions`, { messages: [user('Hi')] }, headers);
    await until(() => asked === 1);
    const left = performance.now();
    await course.leave(student);
    const { status, chunks } = await answer;
    expect(performance.now() - left).toBeLessThan(6_000);
    expect(status === 404 || chunks.at(-1)?.error !== undefined).toBe(true);
  });

  it.each([
    [{ groups: [{}] }, 400],
    [{ groups: [{ group_id: 'x' }] }, 400],
    [{ groups: [{ group_id: '01a20082-0000-7000-8000-000000000000' }] }, 400],
    [{ groups: [{ group_id: '01a20082-0000-7000-8000-000000000000', access: 'own' }] }, 400],
    [{ groups: 'all' }, 400],
    [{ groups: null }, 400],
  ])('refuses %j', async (body, status) => {
    expect((await shareAssistant(await target(maker), body)).status).toBe(status);
  });

  it('refuses a group of another organization', async () => {
    const slug = await foreignOrganization(world.app);
    const made = await good(world.app.api('POST', `/api/v1/organizations/${slug}/groups`, { name: 'Foreign' }));
    const answer = await shareAssistant(await target(maker), { groups: [{ group_id: made.json.id }] });
    expect([answer.status, pathsOf(answer)]).toEqual([400, ['groups[0].group_id']]);
    const { json } = await good(maker.api('POST', KNOWLEDGE_BASES, { name: 'Mine' }));
    const base = await maker.api('PUT', `${KNOWLEDGE_BASES}/${json.id}/shares`, { users: [], groups: [made.json.id] });
    expect([base.status, pathsOf(base)]).toEqual([400, ['groups[0]']]);
  });
});

describe('an assistant as a tool', () => {
  it('is called while it is shared with a group of the owner, and not once the owner left (A2, A3)', async () => {
    const id = await target(maker);
    const course = await group(world.owner);
    const early = await world.owner.api('POST', ASSISTANTS, calls(id));
    expect(early.json.diagnostics).toContainEqual(expect.objectContaining({ code: 'tool.inaccessible' }));
    await good(shareAssistant(id, { groups: [{ group_id: course.id }] }));
    const asking = await calling(world.owner, id);
    const allowed = await ask(world, student, asking, { calls: [call(id)] });
    expect([allowed.offered, allowed.toTargets.length]).toEqual([[`call_assistant_${id}`], 1]);
    const between = await ask(world, student, asking, {
      calls: [call(id)],
      meanwhile: () => course.leave(world.owner),
    });
    expect([between.offered.length, between.toTargets.length]).toEqual([1, 0]);
    expect((await ask(world, student, asking, { calls: [call(id)] })).offered).toEqual([]);
  });

  it('is not called on the rights of a group of the person who asks (A7)', async () => {
    const id = await target(maker);
    const both = await group(world.owner, student);
    await good(shareAssistant(id, { groups: [{ group_id: both.id }] }));
    const asking = await calling(world.owner, id);
    await both.leave(world.owner);
    expect((await ask(world, student, asking, { calls: [call(id)] })).offered).toEqual([]);
  });
});

describe('a knowledge base that is shared with a group', () => {
  async function filed(): Promise<string> {
    const { json } = await good(maker.api('POST', KNOWLEDGE_BASES, { name: 'Geology' }));
    const path = `${KNOWLEDGE_BASES}/${json.id}`;
    const form = filesForm(['granite.md', `# Geology\n\nThe granite of ${SECRET} is old.\n`]);
    const documentId: string = (await maker.api('POST', `${path}/documents`, form)).json.items[0].id;
    await until(
      async () => (await maker.api('GET', `${path}/documents/${documentId}`)).json.status === 'completed',
      20_000,
    );
    return json.id;
  }

  it('is read, searched and used by tools of its members, until they leave', async () => {
    const id = await filed();
    const path = `${KNOWLEDGE_BASES}/${id}`;
    const teacher = world.owner;
    const course = await group(teacher);
    expect((await teacher.api('GET', path)).status).toBe(404);
    const shared = await good(maker.api('PUT', `${path}/shares`, { users: [], groups: [course.id] }));
    expect(shared.json).toEqual({
      users: [],
      groups: [{ group_id: course.id, name: expect.stringContaining('Sharing') }],
    });
    const tools = [{ plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: [id] } }];
    const { json } = await good(
      teacher.api('POST', ASSISTANTS, {
        name: 'Reader',
        prompt_template: '{1_context} {user_input}',
        metadata: multiTool(tools, { connector: 'bypass', llm: 'debug-bypass' }),
      }),
    );
    const finds = async (): Promise<boolean> => {
      const messages = [user('How old is the granite?')];
      return (await good(teacher.api('POST', `${ASSISTANTS}/${json.id}/completions`, { messages }))).text.includes(
        SECRET,
      );
    };
    const views = async () => [
      (await teacher.api('GET', path)).status,
      (await teacher.api('POST', `${path}/query`, { query: 'granite' })).status,
      (await good(teacher.api('GET', KNOWLEDGE_BASES))).json.items.some((item: { id: string }) => item.id === id),
      await finds(),
    ];
    expect(await views()).toEqual([200, 200, true, true]);
    expect((await teacher.api('PATCH', path, { name: 'Taken' }, { 'if-match': '*' })).status).toBe(403);
    await course.leave(teacher);
    expect(await views()).toEqual([404, 404, false, false]);
  });

  it('keeps its groups when a client replaces the people alone', async () => {
    const { json } = await good(maker.api('POST', KNOWLEDGE_BASES, { name: 'Kept' }));
    const path = `${KNOWLEDGE_BASES}/${json.id}/shares`;
    const course = await group();
    await good(maker.api('PUT', path, { users: [], groups: [course.id, course.id] }));
    const people = await good(maker.api('PUT', path, { users: [world.owner.email] }));
    expect([people.json.users.length, people.json.groups.length]).toEqual([1, 1]);
    const none = await good(maker.api('PUT', path, { users: [], groups: [] }));
    expect(none.json).toEqual({ users: [], groups: [] });
  });

  it.each([
    [{ groups: [] }],
    [{ users: [], groups: ['x'] }],
    [{ users: [], groups: [1] }],
    [{ users: [], groups: {} }],
  ])('refuses %j', async (body) => {
    const { json } = await good(maker.api('POST', KNOWLEDGE_BASES, { name: 'Refused' }));
    expect((await maker.api('PUT', `${KNOWLEDGE_BASES}/${json.id}/shares`, body)).status).toBe(400);
  });
});

it('sharing with groups ends where the organization switches sharing off', async () => {
  const slug = await foreignOrganization(world.app);
  const boss = await person(world.app, { organization: slug, role: 'owner', scopes: ['read', 'write', 'admin'] });
  const made = await good(boss.api('POST', `/api/v1/organizations/${slug}/groups`, { name: 'All' }));
  const { json } = await good(boss.api('POST', ASSISTANTS, { name: 'Mine', metadata: METADATA }));
  await good(boss.api('PATCH', `/api/v1/organizations/${slug}`, { features: { sharing: false } }));
  const path = `${ASSISTANTS}/${json.id}/shares`;
  const refused = await boss.api('PUT', path, { groups: [{ group_id: made.json.id }] });
  expect([refused.status, refused.json.code]).toEqual([403, 'feature_disabled']);
  expect((await boss.api('PUT', path, { groups: [] })).status).toBe(200);
});
