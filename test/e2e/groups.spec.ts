import { startApp, type TestApp } from '../support/app';
import { foreignOrganization, keyOf, person, type Person } from '../support/people';

const GROUPS = '/api/v1/organizations/default/groups';

let app: TestApp;
let noether: Person;
let hilbert: Person;
let student: Person;
let serial = 0;
beforeAll(async () => {
  app = await startApp();
  noether = await person(app);
  hilbert = await person(app);
  student = await person(app, { role: 'member', scopes: ['chat', 'read'] });
});
afterAll(() => app.stop());

const newName = (): string => `Course ${++serial}`;

async function made(by: Pick<Person, 'api'> = app, body: object = {}): Promise<{ id: string; path: string }> {
  const answer = await by.api('POST', GROUPS, { name: newName(), ...body });
  expect(answer.status).toBe(201);
  return { id: answer.json.id, path: `${GROUPS}/${answer.json.id}` };
}

const pathsOf = ({ json }: { json: any }): string[] => json.errors.map(({ path }: { path: string }) => path);
const namesOf = ({ json }: { json: any }): string[] => json.items.map(({ name }: { name: string }) => name);

describe('a course group', () => {
  it('is made, read, changed and deleted by the teacher who made it', async () => {
    const name = newName();
    const created = await noether.api('POST', GROUPS, { name: ` ${name} `, description: 'Lecture' });
    expect([created.status, created.headers.get('etag')]).toEqual([201, '"1"']);
    expect(created.json).toMatchObject({
      name,
      description: 'Lecture',
      external_id: null,
      owner_id: noether.userId,
      source: 'manual',
      member_count: 0,
      is_member: false,
      may_manage: true,
      version: 1,
    });
    const path = `${GROUPS}/${created.json.id}`;
    const changed = await noether.api('PATCH', path, { description: 'Labs' }, { 'if-match': '"1"' });
    expect([changed.status, changed.json.name, changed.json.description, changed.json.version]).toEqual([
      200,
      name,
      'Labs',
      2,
    ]);
    const stale = await noether.api('PATCH', path, { description: 'Old' }, { 'if-match': '"1"' });
    expect(stale.status).toBe(412);
    expect((await noether.api('DELETE', path)).status).toBe(204);
    expect((await noether.api('GET', path)).status).toBe(404);
  });

  it('is seen but not managed by another teacher', async () => {
    const { path } = await made(noether);
    const seen = await hilbert.api('GET', path);
    expect([seen.status, seen.json.may_manage]).toEqual([200, false]);
    const refusals = await Promise.all([
      hilbert.api('PATCH', path, { name: newName() }, { 'if-match': '"1"' }),
      hilbert.api('DELETE', path),
      hilbert.api('GET', `${path}/members`),
      hilbert.api('POST', `${path}/members`, { members: [hilbert.email] }),
      hilbert.api('DELETE', `${path}/members/${noether.email}`),
    ]);
    expect(refusals.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  });

  it('is managed by administrators, too', async () => {
    const { path } = await made(noether);
    const external = await app.api('PATCH', path, { external_id: '/courses/a' }, { 'if-match': '"1"' });
    expect([external.status, external.json.external_id]).toEqual([200, '/courses/a']);
    expect((await app.api('POST', `${path}/members`, { members: [student.userId] })).status).toBe(200);
  });

  it('gets its external id from administrators only', async () => {
    const refused = await noether.api('POST', GROUPS, { name: newName(), external_id: 'x' });
    expect([refused.status, refused.json.code]).toEqual([403, 'forbidden']);
    await made(app, { external_id: 'staff' });
    const twin = await app.api('POST', GROUPS, { name: newName(), external_id: 'staff' });
    expect([twin.status, pathsOf(twin)]).toEqual([409, ['external_id']]);
  });

  it('has a name of its own, without regard to case', async () => {
    const name = newName();
    await made(noether, { name });
    const twin = await hilbert.api('POST', GROUPS, { name: name.toUpperCase() });
    expect([twin.status, pathsOf(twin)]).toEqual([409, ['name']]);
    const both = await Promise.all([1, 2].map(() => app.api('POST', GROUPS, { name: `${name} twins` })));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it.each([
    [{}, 'name'],
    [{ name: '  ' }, 'name'],
    [{ name: 'a\nb' }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ name: null }, 'name'],
    [{ name: 'ok', description: 1 }, 'description'],
    [{ name: 'ok', external_id: '' }, 'external_id'],
    [{ name: 'ok', owner_id: 'x' }, 'owner_id'],
    [{ name: 'ok', organization_id: 'x' }, 'organization_id'],
    [{ name: 'ok', source: 'scim' }, 'source'],
  ])('refuses %j', async (body, path) => {
    const answer = await app.api('POST', GROUPS, body);
    expect(answer.status).toBe(400);
    expect(pathsOf(answer)).toContain(path);
  });
});

describe('members of a group', () => {
  it('are added by id or address, once', async () => {
    const { path } = await made(noether);
    const added = await noether.api('POST', `${path}/members`, {
      members: [student.email, hilbert.userId, student.userId],
    });
    expect([added.status, added.json]).toEqual([200, { added: 2, member_count: 2 }]);
    const again = await noether.api('POST', `${path}/members`, { members: [student.email] });
    expect(again.json).toEqual({ added: 0, member_count: 2 });
    const list = await noether.api('GET', `${path}/members?limit=1`);
    expect([list.json.total, list.json.items.length]).toEqual([2, 1]);
    const rest = await noether.api('GET', `${path}/members?limit=1&cursor=${list.json.next_cursor}`);
    const people = [...list.json.items, ...rest.json.items];
    expect(people.map(({ user_id }) => user_id).sort()).toEqual([student.userId, hilbert.userId].sort());
    expect(people.map(({ sources }) => sources)).toEqual([['manual'], ['manual']]);
    expect(rest.json.next_cursor).toBeNull();
  });

  it('must be members of the organization', async () => {
    const { path } = await made(noether);
    const elsewhere = await person(app, { organization: await foreignOrganization(app) });
    const answer = await noether.api('POST', `${path}/members`, {
      members: [student.email, 'nobody@example.edu', elsewhere.userId],
    });
    expect([answer.status, pathsOf(answer)]).toEqual([400, ['members[1]', 'members[2]']]);
    expect((await noether.api('GET', path)).json.member_count).toBe(0);
  });

  it('see their groups and no others', async () => {
    const { id, path } = await made(noether);
    const { path: other } = await made(noether);
    expect((await student.api('GET', path)).status).toBe(404);
    await noether.api('POST', `${path}/members`, { members: [student.email] });
    const seen = await student.api('GET', path);
    expect([seen.status, seen.json.is_member, seen.json.may_manage]).toEqual([200, true, false]);
    expect((await student.api('GET', other)).status).toBe(404);
    const list = await student.api('GET', `${GROUPS}?limit=100`);
    expect(list.json.items.map((group: { id: string }) => group.id)).toContain(id);
    expect(list.json.items.every((group: { is_member: boolean }) => group.is_member)).toBe(true);
    expect((await student.api('GET', `${path}/members`)).status).toBe(403);
  });

  it('leave it when they are removed, and when they leave the organization', async () => {
    const { path } = await made(noether);
    const [one, other] = [await person(app, { role: 'member' }), await person(app, { role: 'member' })];
    await noether.api('POST', `${path}/members`, { members: [one.email, other.email] });
    expect((await noether.api('DELETE', `${path}/members/${one.email}`)).status).toBe(204);
    expect((await noether.api('DELETE', `${path}/members/${one.email}`)).status).toBe(404);
    await app.api('DELETE', `/api/v1/organizations/default/members/${other.email}`);
    expect((await noether.api('GET', path)).json.member_count).toBe(0);
  });

  it.each([[{}], [{ members: [] }], [{ members: 'ada' }], [{ members: [1] }], [{ members: [null] }]])(
    'are not added from %j',
    async (body) => {
      const { path } = await made(noether);
      expect((await noether.api('POST', `${path}/members`, body)).status).toBe(400);
    },
  );
});

describe('the list of groups', () => {
  it('is sorted by name, searched and paged', async () => {
    const mark = `List ${++serial}`;
    for (const letter of ['b', 'C', 'a']) await made(app, { name: `${mark} ${letter}` });
    const first = await hilbert.api('GET', `${GROUPS}?q=${encodeURIComponent(mark.toLowerCase())}&limit=2`);
    expect([namesOf(first), first.json.total]).toEqual([[`${mark} a`, `${mark} b`], 3]);
    const rest = await hilbert.api('GET', `${GROUPS}?q=${encodeURIComponent(mark)}&cursor=${first.json.next_cursor}`);
    expect([namesOf(rest), rest.json.next_cursor]).toEqual([[`${mark} C`], null]);
    expect((await hilbert.api('GET', `${GROUPS}?cursor=bad`)).status).toBe(400);
  });

  it('ends at the organization', async () => {
    const slug = await foreignOrganization(app);
    const stranger = await keyOf(app, (await person(app, { organization: slug, role: 'owner' })).email, {
      organization: slug,
      scopes: ['read', 'write', 'admin'],
    });
    const { path } = await made(noether);
    const theirs = `/api/v1/organizations/${slug}/groups/${path.slice(GROUPS.length + 1)}`;
    for (const address of [path, theirs, `${theirs}/members`, `${path}/members`, GROUPS]) {
      expect((await stranger.api('GET', address)).status).toBe(404);
    }
    expect((await stranger.api('DELETE', theirs)).status).toBe(404);
    expect((await app.api('GET', `${GROUPS}/not-a-uuid`)).status).toBe(404);
  });

  it('is in the audit log', async () => {
    const { id, path } = await made(noether);
    await noether.api('POST', `${path}/members`, { members: [student.email] });
    await noether.api('DELETE', path);
    const log = await app.api('GET', '/api/v1/organizations/default/audit?limit=100');
    const actions = log.json.items
      .filter((entry: { target: { id: string } }) => entry.target.id === id)
      .map((entry: { action: string }) => entry.action);
    expect(actions).toEqual(['group.delete', 'group.members', 'group.create']);
  });
});
