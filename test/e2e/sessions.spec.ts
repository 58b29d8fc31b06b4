import { DataSource } from 'typeorm';
import { SignInLinks } from '../../src/auth';
import { filesForm, startApp, type TestApp } from '../support/app';
import { BrowserSession } from '../support/browser-session';
import { makeAssistant, user } from '../support/chat';
import { foreignOrganization, keyOf, person, type PersonOptions, type Person } from '../support/people';
import { follow } from '../support/run-events';
import { startUpstream, type Upstream } from '../support/upstream';
import { until } from '../support/until';

let app: TestApp;
let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
  app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-sessions' } });
});
afterAll(async () => {
  await app.stop();
  await upstream.stop();
});

const browser = (): BrowserSession => new BrowserSession(app);
const sql = (text: string, values: unknown[] = []): Promise<any[]> => app.get(DataSource).query(text, values);
const rename = { name: 'Renamed' };

async function signedIn(options: PersonOptions = {}): Promise<BrowserSession & { readonly person: Person }> {
  const who = await person(app, options);
  const session = browser();
  expect((await session.signIn(who.key)).status).toBe(200);
  return Object.assign(session, { person: who });
}

describe('signing in with a key', () => {
  it('opens a session that says who is there, in a cookie that scripts cannot read', async () => {
    const { person: who, ...rest } = await signedIn({ role: 'teacher' });
    expect(rest.cookie).toMatch(/^bw=[\w-]{43}$/);
    const session = browser();
    const answer = await session.signIn(who.key);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^bw=[\w-]{43}; Max-Age=2592000; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/),
    ]);
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    const me = await session.send('GET', '/api/v1/me');
    expect(me.json).toEqual(answer.json);
    expect(me.json).toMatchObject({
      user: { email: who.email },
      role: 'teacher',
      credential: { kind: 'session', id: expect.any(String) },
      scopes: ['chat', 'read', 'write'],
    });
    expect(await session.send('GET', '/api/v1/session')).toMatchObject({ json: { signed_in: true, providers: [] } });
    expect(await browser().send('GET', '/api/v1/session')).toMatchObject({ status: 200, json: { signed_in: false } });
  });

  it('keeps neither key nor cookie anywhere but in the browser', async () => {
    const session = await signedIn();
    const token = session.cookie.slice(3);
    const rows = await sql('SELECT * FROM sessions');
    const audit = await sql('SELECT * FROM audit_entries');
    expect(JSON.stringify([rows, audit]) + app.log()).not.toContain(token);
    expect(app.log()).not.toContain(session.person.key.slice(-43));
  });

  it('ends the session that was there before, and never takes over an id that a browser brings', async () => {
    const session = await signedIn();
    const old = session.cookie;
    await session.signIn(session.person.key);
    expect(session.cookie).not.toBe(old);
    const thief = Object.assign(browser(), { cookie: old });
    expect((await thief.send('GET', '/api/v1/me')).status).toBe(401);
    const fixed = Object.assign(browser(), { cookie: `bw=${'A'.repeat(43)}` });
    await fixed.signIn(session.person.key);
    expect(fixed.cookie).not.toContain('AAAA');
  });

  it.each([
    ['no key of ours', { api_key: 'sk-something' }, 401, 'unauthenticated'],
    ['an unknown key', { api_key: `bw_live_AAAAAAAAAAAA_${'A'.repeat(43)}` }, 401, 'unauthenticated'],
    ['nothing', {}, 400, 'validation_failed'],
    ['a number', { api_key: 1 }, 400, 'validation_failed'],
    ['more than that', { api_key: 'x'.repeat(5_000) }, 413, 'payload_too_large'],
  ])('is refused with %s', async (_, body, status, code) => {
    const session = browser();
    expect(await session.send('POST', '/api/v1/session', body)).toMatchObject({ status, json: { code } });
    expect(session.cookie).toBe('');
  });

  it('is refused from the pages of others, who would sign people in as themselves', async () => {
    const { key } = await person(app);
    const foreign: Record<string, string>[] = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }];
    for (const headers of foreign) {
      const answer = await browser().send('POST', '/api/v1/session', { api_key: key }, headers);
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
    }
  });

  it('is refused with a key that shows nothing', async () => {
    const { key } = await person(app, { scopes: ['chat'] });
    expect((await browser().signIn(key)).status).toBe(403);
  });
});

describe('a session', () => {
  it('may do what its key may, and never speak for others', async () => {
    const { email } = await person(app, { role: 'admin' });
    const { key } = await keyOf(app, email, { scopes: ['read', 'act_as'], assistantIds: [7] });
    const session = browser();
    expect((await session.signIn(key)).json).toMatchObject({ scopes: ['read'], assistant_ids: [7] });
    expect((await session.send('POST', '/api/v1/assistants', {})).status).toBe(403);
    expect((await session.send('GET', '/v1/models')).status).toBe(403);
    expect((await session.send('GET', '/api/v1/organizations/default/members')).status).toBe(403);
  });

  it('makes no key that outlives the key that it came from', async () => {
    const who = await person(app);
    const ends = new Date(Date.now() + 3_600_000).toISOString();
    const body = { name: 'short', scopes: ['read', 'write'], expires_at: ends };
    const { key } = (await who.api('POST', '/api/v1/api-keys', body)).json;
    const session = browser();
    await session.signIn(key);
    const lasting = await session.send('POST', '/api/v1/api-keys', { name: 'lasting', scopes: ['read'] });
    expect([lasting.status, lasting.json.errors[0].path]).toEqual([400, 'expires_at']);
    const short = await session.send('POST', '/api/v1/api-keys', { name: 'x', scopes: ['read'], expires_at: ends });
    expect(short.status).toBe(201);
  });

  it('opens every door: models, completions, uploads, events', async () => {
    upstream.always({ content: 'Hello there' });
    const session = await signedIn({ role: 'teacher' });
    const made = await session.send('POST', '/api/v1/assistants', {
      name: 'Mine',
      prompt_template: '{user_input}',
      metadata: { connector: 'openai', llm: 'gpt-4o-mini', prompt_processor: 'simple_augment', rag_processor: '' },
    });
    expect(made.status).toBe(201);
    const models = await session.send('GET', '/v1/models');
    expect(models.json.data.map(({ id }: { id: string }) => id)).toContain(`lamb_assistant.${made.json.id}`);
    const asked = { messages: [user('Hello?')] };
    const chat = await session.send('POST', `/api/v1/assistants/${made.json.id}/completions`, asked);
    expect([chat.status, chat.json.choices[0].message.content]).toEqual([200, 'Hello there']);
    const run = await session.send('POST', `/api/v1/assistants/${made.json.id}/runs`, asked);
    expect(run.status).toBe(202);
    const following = await follow(app, `${run.json.id}/events`, { cookie: session.cookie });
    await following.ended;
    expect(following.frames.at(-1)?.event).toBe('run.completed');
    const upload = await session.send('POST', '/api/v1/files', filesForm(['notes.md', '# Notes']));
    expect(upload.status).toBe(201);
  });

  it('must say which version it changes', async () => {
    const session = await signedIn({ role: 'teacher' });
    const id = (
      await session.send('POST', '/api/v1/assistants', {
        name: 'Versioned',
        prompt_template: '{user_input}',
        metadata: { connector: 'openai', llm: 'gpt-4o-mini', prompt_processor: 'simple_augment', rag_processor: '' },
      })
    ).json.id;
    expect((await session.send('PATCH', `/api/v1/assistants/${id}`, rename)).status).toBe(428);
    const headers = { 'sec-fetch-site': 'same-origin', 'if-match': '"1"' };
    expect((await session.send('PATCH', `/api/v1/assistants/${id}`, rename, headers)).status).toBe(200);
  });

  it('gives way to a key in the same request', async () => {
    const session = await signedIn();
    const other = await person(app);
    const me = await session.send('GET', '/api/v1/me', undefined, { authorization: `Bearer ${other.key}` });
    expect(me.json).toMatchObject({ user: { email: other.email }, credential: { kind: 'api_key' } });
    const wrong = await session.send('GET', '/api/v1/me', undefined, { 'x-api-key': 'bw_wrong' });
    expect(wrong.status).toBe(401);
  });
});

describe('pages of other origins', () => {
  const FOREIGN = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
  let session: BrowserSession & { readonly person: Person };
  let before: number;
  const rubrics = async (): Promise<number> => (await sql('SELECT count(*)::int AS n FROM api_keys'))[0].n;
  beforeAll(async () => {
    session = await signedIn({ role: 'teacher' });
    before = await rubrics();
  });

  /** What a page can send to another origin without asking first (Fetch, "CORS-safelisted request-header"). */
  const simple: [string, string | undefined, string | FormData | undefined][] = [
    ['a form', 'application/x-www-form-urlencoded', 'name=x&scopes=read'],
    ['a form of plain text', 'text/plain', '{"name": "x", "scopes": ["read"], "a": "="}'],
    ['a multipart form', undefined, filesForm(['x.md', 'x'])],
    ['a beacon without a type', undefined, '{"name":"x","scopes":["read"]}'],
    ['an empty form', undefined, undefined],
  ];
  it.each(simple)('change nothing by %s', async (_, type, body) => {
    for (const said of [FOREIGN, { origin: 'https://evil.example' }, { origin: 'null' }, {}]) {
      const response = await fetch(`${app.url}/api/v1/api-keys`, {
        method: 'POST',
        headers: { cookie: session.cookie, ...said, ...(type === undefined ? {} : { 'content-type': type }) } as Record<
          string,
          string
        >,
        ...(body === undefined ? {} : { body }),
      });
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ code: 'forbidden' });
    }
    expect(await rubrics()).toBe(before);
  });

  it('cannot with JSON either, nor with the methods that browsers ask about first', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const path = method === 'POST' ? '/api/v1/api-keys' : '/api/v1/assistants/1/shares';
      expect((await session.send(method, path, { name: 'x' }, FOREIGN)).status).toBe(403);
    }
    expect((await session.send('DELETE', '/api/v1/session', undefined, FOREIGN)).status).toBe(403);
    expect((await session.send('GET', '/api/v1/me')).status).toBe(200);
  });

  it('are let in by no preflight', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const response = await fetch(`${app.url}/api/v1/api-keys`, { method: 'OPTIONS', headers });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('and our own send forms to no route but those that take files', async () => {
    const answer = await session.send('POST', '/api/v1/api-keys', filesForm(['x.md', 'x']));
    expect([answer.status, answer.json.code]).toEqual([415, 'unsupported_media_type']);
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
    expect((await session.send('POST', '/api/v1/api-keys', { name: 'x' }, form)).status).toBe(415);
  });
});

describe('the end of a session', () => {
  const isIn = async (session: BrowserSession): Promise<number> => (await session.send('GET', '/api/v1/me')).status;
  const members = '/api/v1/organizations/default/members';

  it('is signing out, which stands in the audit and takes the cookie away', async () => {
    const session = await signedIn();
    const copy = Object.assign(browser(), { cookie: session.cookie });
    const answer = await session.send('DELETE', '/api/v1/session');
    expect([answer.status, session.cookie]).toEqual([204, '']);
    expect(await isIn(copy)).toBe(401);
    expect((await copy.send('DELETE', '/api/v1/session')).status).toBe(204);
    const audit = (await app.api('GET', '/api/v1/organizations/default/audit?limit=100')).json.items;
    const mine = audit.filter(({ actor }: any) => actor.user_id === session.person.userId && actor.kind === 'session');
    expect(mine.map(({ action }: any) => action)).toEqual(['session.end', 'session.create']);
    expect(mine[0]).toMatchObject({ ip: expect.any(String), request_id: expect.any(String) });
  });

  it('comes when its key is revoked', async () => {
    const session = await signedIn();
    const [{ id }] = (await session.send('GET', '/api/v1/api-keys')).json.items;
    expect((await session.send('DELETE', `/api/v1/api-keys/${id}`)).status).toBe(204);
    expect(await isIn(session)).toBe(401);
  });

  it('comes when the role changes, and the old role brings it not back', async () => {
    const session = await signedIn({ role: 'teacher' });
    const { email, key } = session.person;
    await app.api('PATCH', `${members}/${email}`, { name: 'Same role' });
    expect(await isIn(session)).toBe(200);
    await app.api('PATCH', `${members}/${email}`, { role: 'member' });
    expect(await isIn(session)).toBe(401);
    await app.api('PATCH', `${members}/${email}`, { role: 'teacher' });
    expect(await isIn(session)).toBe(401);
    expect((await browser().signIn(key)).status).toBe(200);
  });

  it('comes when the member is disabled or leaves', async () => {
    const [disabled, left] = [await signedIn(), await signedIn()];
    await app.api('PATCH', `${members}/${disabled.person.email}`, { disabled: true });
    await app.api('PATCH', `${members}/${disabled.person.email}`, { disabled: false });
    await app.api('DELETE', `${members}/${left.person.email}`);
    expect([await isIn(disabled), await isIn(left)]).toEqual([401, 401]);
  });

  it('comes from another browser of the same person, who sees all of them', async () => {
    const session = await signedIn();
    const forgotten = browser();
    await forgotten.signIn(session.person.key);
    const stranger = await signedIn();
    const open = (await session.send('GET', '/api/v1/sessions')).json.items;
    expect(open.map(({ opened_by, current }: any) => [opened_by, current])).toEqual([
      ['key', false],
      ['key', true],
    ]);
    expect(JSON.stringify(open)).not.toContain(session.cookie.slice(3));
    expect((await session.send('DELETE', '/api/v1/sessions')).status).toBe(204);
    expect([await isIn(forgotten), await isIn(session), await isIn(stranger)]).toEqual([401, 200, 200]);
    expect((await session.send('GET', '/api/v1/sessions')).json.items).toHaveLength(1);
    expect((await session.person.api('DELETE', '/api/v1/sessions')).status).toBe(204);
    expect(await isIn(session)).toBe(401);
  });

  it('comes to one browser alone, and to nobody else’s', async () => {
    const session = await signedIn();
    const [forgotten, kept] = [browser(), browser()];
    await forgotten.signIn(session.person.key);
    await kept.signIn(session.person.key);
    const idOf = async (one: BrowserSession): Promise<string> =>
      (await one.send('GET', '/api/v1/me')).json.credential.id as string;
    const id = await idOf(forgotten);
    const stranger = await signedIn();
    expect((await stranger.send('DELETE', `/api/v1/sessions/${id}`)).status).toBe(404);
    expect((await app.api('DELETE', `/api/v1/sessions/${id}`)).status).toBe(404);
    expect(await isIn(forgotten)).toBe(200);
    expect((await session.send('DELETE', `/api/v1/sessions/${id}`)).status).toBe(204);
    expect([await isIn(forgotten), await isIn(kept), await isIn(session)]).toEqual([401, 200, 200]);
    for (const gone of [id, 'nothing']) {
      expect((await session.send('DELETE', `/api/v1/sessions/${gone}`)).status).toBe(404);
    }
    const audit = (await app.api('GET', '/api/v1/organizations/default/audit?limit=20')).json.items;
    expect(audit[0]).toMatchObject({ action: 'session.end', target: { type: 'session', id } });
    expect((await session.send('DELETE', `/api/v1/sessions/${await idOf(session)}`)).status).toBe(204);
    expect(await isIn(session)).toBe(401);
  });

  it('comes from an administrator, not from a teacher, and not to who ranks higher', async () => {
    const session = await signedIn({ role: 'teacher' });
    const colleague = await person(app, { role: 'teacher' });
    const admin = await person(app, { role: 'admin', scopes: ['read', 'write', 'admin'] });
    const path = `${members}/${session.person.email}/sessions`;
    expect((await colleague.api('DELETE', path)).status).toBe(403);
    expect(await isIn(session)).toBe(200);
    expect((await admin.api('DELETE', path)).status).toBe(204);
    expect(await isIn(session)).toBe(401);
    expect((await admin.api('DELETE', `${members}/admin@localhost/sessions`)).status).toBe(403);
    expect((await admin.api('DELETE', `${members}/nobody@example.edu/sessions`)).status).toBe(404);
    const audit = (await app.api('GET', '/api/v1/organizations/default/audit?limit=20')).json.items;
    expect(audit.find(({ action }: any) => action === 'session.end_all')).toMatchObject({
      target: { type: 'member', id: session.person.userId },
      after: { ended: 1 },
    });
  });

  it('tells browsers to forget what they keep, which is little', async () => {
    const session = await signedIn();
    expect((await session.send('GET', '/api/v1/me')).headers.get('cache-control')).toBe('private, no-store');
    const answer = await session.send('DELETE', '/api/v1/session');
    expect(answer.headers.get('clear-site-data')).toBe('"cache"');
  });

  it('comes after 14 days without a request, and 30 days after signing in', async () => {
    for (const past of [`last_seen_at = now() - interval '14 days 1 second'`, `expires_at = now()`]) {
      const session = await signedIn();
      await sql(`UPDATE sessions SET ${past} WHERE user_id = $1`, [session.person.userId]);
      // Something else of the organization changes, so that nothing is remembered.
      await person(app).then(({ email }) => app.api('PATCH', `${members}/${email}`, { name: 'Another' }));
      expect(await isIn(session)).toBe(401);
    }
    const [row] = await sql(`SELECT max(expires_at - created_at) AS whole FROM sessions WHERE expires_at > now()`);
    expect(row.whole).toMatchObject({ days: 30 });
  });

  it('comes within a day where the institution signs people in alone', async () => {
    const session = await signedIn();
    const lives = async (): Promise<number> =>
      (Date.parse((await session.send('GET', '/api/v1/sessions')).json.items[0].expires_at) - Date.now()) / 3_600_000;
    expect(await lives()).toBeGreaterThan(24);
    const wish = (local_sign_in: boolean | null) =>
      app.api('PATCH', '/api/v1/organizations/default', { features: { local_sign_in } });
    await wish(false);
    expect(await lives()).toBeLessThan(24.1);
    await wish(null);
  });

  it('ends the streams that it opened, as the end of a key does', async () => {
    upstream.always({ content: 'word '.repeat(2_000), delayMs: 20 });
    const id = await makeAssistant(app);
    const session = browser();
    await session.signIn(app.adminKey);
    const run = await session.send('POST', `/api/v1/assistants/${id}/runs`, { messages: [user('A question')] });
    const following = await follow(app, `${run.json.id}/events`, { cookie: session.cookie });
    await until(() => following.frames.some(({ event }) => event === 'llm.delta'));
    await session.send('DELETE', '/api/v1/session');
    await following.ended;
    expect(following.frames.at(-1)?.event).not.toMatch(/^run\.(completed|failed|cancelled)$/);
    await app.api('POST', `/api/v1/runs/${run.json.id}/cancel`);
  }, 20_000);
});

describe('a link that signs in', () => {
  const link = async (organization = 'default', email = 'admin@localhost'): Promise<string> => {
    const [row] = await sql(
      `SELECT organization_id, user_id FROM members JOIN organizations ON organizations.id = organization_id
         JOIN users ON users.id = user_id WHERE slug = $1 AND email = $2`,
      [organization, email],
    );
    return (await app.get(SignInLinks).make({ organizationId: row.organization_id, userId: row.user_id })).path;
  };
  const typed = { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' };

  it('opens a session once, with all that the role may', async () => {
    const path = await link();
    const session = browser();
    const opened = await session.send('GET', path, undefined, typed);
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/']);
    expect(opened.headers.get('referrer-policy')).toBe('no-referrer');
    expect((await session.send('GET', '/api/v1/me')).json).toMatchObject({
      system_admin: true,
      scopes: ['chat', 'read', 'write', 'admin'],
      credential: { kind: 'session' },
    });
    const again = await browser().send('GET', path, undefined, typed);
    expect([again.status, again.headers.get('location')]).toEqual([303, '/sign-in?problem=link']);
    expect(again.headers.getSetCookie()).toEqual([]);
  });

  it('is made at each start until somebody has signed in', async () => {
    await sql('UPDATE members SET first_signed_in_at = NULL');
    const [row] = await sql(`SELECT organization_id, user_id FROM members WHERE role = 'owner'`);
    const first = () => app.get(SignInLinks).makeFirst({ organizationId: row.organization_id, userId: row.user_id });
    expect([await first(), await first()]).toEqual(
      Array(2).fill(expect.objectContaining({ path: expect.any(String) })),
    );
    expect((await browser().send('GET', await link(), undefined, typed)).status).toBe(303);
    expect(await first()).toBeNull();
  });

  it('is not used up by a look ahead, a HEAD, a page or a frame', async () => {
    const path = await link();
    const session = browser();
    expect((await session.send('HEAD', path)).status).toBe(200);
    expect((await session.send('GET', path, undefined, { 'sec-purpose': 'prefetch' })).status).toBe(503);
    const led: Record<string, string>[] = [
      ...['cross-site', 'same-site', 'same-origin'].map((site) => ({ 'sec-fetch-site': site })),
      ...['iframe', 'image', 'empty'].map((dest) => ({ ...typed, 'sec-fetch-dest': dest })),
    ];
    for (const headers of led) {
      const foreign = await session.send('GET', path, undefined, headers);
      expect(foreign.headers.get('location')).toBe('/sign-in?problem=link');
    }
    expect(session.cookie).toBe('');
    expect((await session.send('GET', path, undefined, typed)).headers.get('location')).toBe('/');
  });

  it('is for one of two who come at the same moment, and for nobody after an hour', async () => {
    const path = await link();
    const both = await Promise.all([browser(), browser()].map((each) => each.send('GET', path, undefined, typed)));
    expect(both.map(({ headers }) => headers.get('location')).sort()).toEqual(['/', '/sign-in?problem=link']);
    const late = await link();
    await sql(`UPDATE sign_in_links SET expires_at = now()`);
    expect((await browser().send('GET', late, undefined, typed)).headers.get('location')).toContain('problem');
    expect((await browser().send('GET', `/sign-in/${'A'.repeat(43)}`)).headers.get('location')).toContain('problem');
  });

  it('gives a teacher no administration, and a disabled member nothing', async () => {
    const who = await person(app, { role: 'teacher' });
    const session = browser();
    await session.send('GET', await link('default', who.email), undefined, typed);
    expect((await session.send('GET', '/api/v1/me')).json).toMatchObject({ role: 'teacher', system_admin: false });
    expect((await session.send('GET', '/api/v1/organizations/default/members')).status).toBe(403);
    const path = await link('default', who.email);
    await app.api('PATCH', `/api/v1/organizations/default/members/${who.email}`, { disabled: true });
    expect((await browser().send('GET', path, undefined, typed)).headers.get('location')).toContain('problem');
  });

  it('ends with the role that it was made for', async () => {
    const who = await person(app, { role: 'member' });
    const path = await link('default', who.email);
    await app.api('PATCH', `/api/v1/organizations/default/members/${who.email}`, { role: 'teacher' });
    expect((await browser().send('GET', path, undefined, typed)).headers.get('location')).toContain('problem');
  });

  it('opens nothing in an organization that is suspended', async () => {
    const slug = await foreignOrganization(app);
    const { email } = await person(app, { organization: slug });
    const path = await link(slug, email);
    await sql('UPDATE organizations SET suspended = true WHERE slug = $1', [slug]);
    expect((await browser().send('GET', path, undefined, typed)).headers.get('location')).toContain('problem');
  });

  it('is never written to the log', async () => {
    const path = await link();
    await browser().send('GET', path, undefined, typed);
    await browser().send('GET', path, undefined, typed);
    expect(app.log()).toContain('/sign-in/…');
    expect(app.log()).not.toContain(path);
    expect(app.log()).not.toContain(path.slice('/sign-in/'.length));
  });
});

describe('many failed sign-ins from one address', () => {
  it('are refused with 429; a right key still signs in', async () => {
    const { key } = await person(app);
    const fail = () => browser().send('POST', '/api/v1/session', { api_key: `bw_live_AAAAAAAAAAAA_${'A'.repeat(43)}` });
    const statuses = await Promise.all(Array.from({ length: 41 }, async () => (await fail()).status));
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(40);
    const refused = await fail();
    expect([refused.status, refused.json.code]).toEqual([429, 'too_many_requests']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const link = await fetch(`${app.url}/sign-in/${'A'.repeat(43)}`, { redirect: 'manual' });
    expect(link.status).toBe(429);
    expect((await browser().signIn(key)).status).toBe(200);
  });
});
