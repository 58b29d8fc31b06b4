import { DataSource } from 'typeorm';
import { startApp, type TestApp } from '../support/app';
import { BrowserSession } from '../support/browser-session';
import { makeAssistant } from '../support/chat';
import { foreignOrganization, person } from '../support/people';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const LINKS = '/api/v1/organizations/default/join-links';
const browser = (): BrowserSession => new BrowserSession(app);
const sql = (text: string, values: unknown[] = []): Promise<any[]> => app.get(DataSource).query(text, values);

const made = async (body: object = {}, { api }: Pick<TestApp, 'api'> = app): Promise<any> => {
  const answer = await api.call(app, 'POST', LINKS, { name: 'Biology 101', ...body });
  expect([answer.status, answer.json]).toEqual([201, expect.anything()]);
  return answer.json;
};
const join = (code: string, name?: string, session = browser()) =>
  session.send('POST', '/api/v1/join', { code, ...(name !== undefined && { name }) });

describe('a class without an identity provider', () => {
  it('gets in by a code as it is written on a board, and is in the group a week later', async () => {
    const assistant = await makeAssistant(app);
    await app.api('PUT', `/api/v1/assistants/${assistant}/publication`);
    const group = (await app.api('POST', '/api/v1/organizations/default/groups', { name: 'Tuesday' })).json;
    const link = await made({ assistant_id: assistant, group_id: group.id, uses: 30 });
    expect(link).toMatchObject({
      url: expect.stringMatching(`^https?://.+/join/${link.code}$`),
      used: 0,
      state: 'open',
    });
    const typed = `${link.code.slice(0, 4)}-${link.code.slice(4)}`.toLowerCase();

    // A program that looks at the link has no build here to show: it is not told that there is nothing.
    expect((await fetch(app.url + new URL(link.url).pathname)).status).not.toBe(404);
    const student = browser();
    const offer = await student.send('GET', `/api/v1/join/${typed}`);
    expect(offer.json).toMatchObject({
      name: 'Biology 101',
      organization: 'Default organization',
      organization_slug: 'default',
      assistant: expect.any(String),
    });
    const joined = await join(typed, '  Ada Example ', student);
    expect([joined.status, joined.json]).toEqual([201, { redirect: `/chat/${assistant}` }]);
    await sql(`UPDATE sessions SET created_at = created_at - interval '7 days', last_seen_at = last_seen_at - interval '7 days',
                                   expires_at = expires_at - interval '7 days'`);
    const me = (await student.send('GET', '/api/v1/me')).json;
    expect(me).toMatchObject({
      role: 'member',
      user: { name: 'Ada Example', email: expect.stringMatching(/@join\.invalid$/) },
    });
    const [entry] = await sql(`SELECT after FROM audit_entries WHERE action = 'member.add' ORDER BY id DESC LIMIT 1`);
    expect(entry.after).toMatchObject({ name: 'Ada Example', issuer: `join:${link.id}` });
    const groups = await student.send('GET', '/api/v1/organizations/default/groups');
    expect(groups.json.items).toMatchObject([{ name: 'Tuesday', is_member: true }]);
    expect((await student.send('GET', '/api/v1/organizations/default')).status).toBe(403);
    expect((await app.api('GET', `${LINKS}/${link.id}`)).json).toMatchObject({ used: 1 });
  });

  it('is told why a link lets nobody in', async () => {
    const spent = await made({ uses: 1 });
    await join(spent.code, 'First');
    const revoked = await made();
    expect((await app.api('DELETE', `${LINKS}/${revoked.id}`)).status).toBe(204);
    const expired = await made({ expires_at: new Date(Date.now() + 60_000).toISOString() });
    await sql('UPDATE join_links SET expires_at = now() WHERE id = $1', [expired.id]);
    for (const [{ code }, reason] of [
      [spent, 'join.spent'],
      [revoked, 'join.revoked'],
      [expired, 'join.expired'],
    ] as const) {
      expect((await join(code, 'Late')).json).toMatchObject({ status: 410, code: 'link_expired', reason });
      expect((await browser().send('GET', `/api/v1/join/${code}`)).json).toMatchObject({ status: 410, reason });
    }
    expect((await join('ZZZZZZZZ', 'Guess')).status).toBe(404);
  });

  it('makes another account for somebody who is signed in to another organization', async () => {
    const { code } = await made();
    const slug = await foreignOrganization(app);
    const session = browser();
    await session.signIn((await person(app, { organization: slug })).key);
    expect((await join(code, undefined, session)).json).toMatchObject({ status: 400, errors: [{ path: 'name' }] });
    expect((await join(code, 'Ada Example', session)).status).toBe(201);
    expect((await session.send('GET', '/api/v1/me')).json).toMatchObject({ organization: { slug: 'default' } });
  });

  it('gets to the list where the assistant of the link is not published', async () => {
    const { code } = await made({ assistant_id: await makeAssistant(app) });
    expect((await browser().send('GET', `/api/v1/join/${code}`)).json.assistant).toBeNull();
    expect((await join(code, 'Early')).json).toEqual({ redirect: '/assistants' });
  });

  it('gets in once for each use, also when the last two come at once', async () => {
    const { code } = await made({ uses: 3 });
    const answers = await Promise.all(['A', 'B', 'C', 'D', 'E'].map((name) => join(code, name)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 410, 410]);
  });

  it('is asked for a name, unless it is signed in already', async () => {
    const group = (await app.api('POST', '/api/v1/organizations/default/groups', { name: 'Friday' })).json;
    const { code, id } = await made({ group_id: group.id });
    expect((await join(code)).json).toMatchObject({ status: 400, errors: [{ path: 'name' }] });
    const who = await person(app);
    const session = browser();
    await session.signIn(who.key);
    const [before] = await sql('SELECT count(*)::int AS people FROM members');
    expect([(await join(code, undefined, session)).json]).toEqual([{ redirect: '/assistants' }]);
    expect(await sql('SELECT count(*)::int AS people FROM members')).toEqual([before]);
    const people = await app.api('GET', `/api/v1/organizations/default/groups/${group.id}/members`);
    expect(people.json.items).toMatchObject([{ email: who.email }]);
    expect((await app.api('GET', `${LINKS}/${id}`)).json.used).toBe(0);
  });
});

describe('a teacher', () => {
  it('makes links to what they own alone, and sees no links of others', async () => {
    const [teacher, other, student] = [await person(app), await person(app), await person(app, { role: 'member' })];
    const foreign = await makeAssistant(app);
    const own = (await teacher.api('POST', '/api/v1/assistants', { name: 'Own', prompt_template: '{user_input}' })).json
      .id;
    expect((await teacher.api('POST', LINKS, { name: 'x', assistant_id: foreign })).status).toBe(404);
    const group = (await app.api('POST', '/api/v1/organizations/default/groups', { name: 'Of the office' })).json;
    expect((await teacher.api('POST', LINKS, { name: 'x', group_id: group.id })).status).toBe(403);
    const link = await made({ assistant_id: own }, teacher);
    expect((await teacher.api('GET', LINKS)).json.items).toEqual([link]);
    expect((await other.api('GET', LINKS)).json.items).toEqual([]);
    expect((await other.api('DELETE', `${LINKS}/${link.id}`)).status).toBe(404);
    expect((await app.api('GET', LINKS)).json.items).toContainEqual(link);
    expect((await student.api('POST', LINKS, { name: 'x' })).status).toBe(403);
  });

  it('lets nobody in any more once they have left or lost the role', async () => {
    const teacher = await person(app);
    const { code } = await made({}, teacher);
    await app.api('PATCH', `/api/v1/organizations/default/members/${teacher.email}`, { role: 'member' });
    expect((await join(code, 'Late')).json).toMatchObject({ status: 410, reason: 'join.revoked' });
  });

  it('makes none with a key that is narrower than those who come in', async () => {
    const teacher = await person(app, { scopes: ['write'] });
    expect((await teacher.api('POST', LINKS, { name: 'x' })).json).toMatchObject({ reason: 'link.needs_sign_in' });
  });

  it('makes none where people sign in through their institution only, and earlier ones stop', async () => {
    const { code } = await made();
    const features = (local_sign_in: boolean): Promise<unknown> =>
      app.api('PATCH', '/api/v1/organizations/default', { features: { local_sign_in } });
    await features(false);
    try {
      expect((await app.api('POST', LINKS, { name: 'x' })).json).toMatchObject({ code: 'feature_disabled' });
      expect((await join(code, 'Ada')).json).toMatchObject({ code: 'feature_disabled' });
    } finally {
      await features(true);
    }
  });
});

// The last: this address is refused for a minute.
describe('a stranger', () => {
  it('does not get in from a page of another site, and not by guessing', async () => {
    const { code } = await made();
    const foreign = await browser().send(
      'POST',
      '/api/v1/join',
      { code, name: 'Eve' },
      { 'sec-fetch-site': 'cross-site' },
    );
    expect(foreign.status).toBe(403);
    const tried: number[] = [];
    for (let each = 0; each < 25; each += 1) tried.push((await join(`WRONG${each}`, 'Eve')).status);
    expect([tried[0], tried.at(-1)]).toEqual([404, 429]);
    // Otherwise trying on would find it.
    expect((await join(code, 'Eve')).status).toBe(429);
  });
});
