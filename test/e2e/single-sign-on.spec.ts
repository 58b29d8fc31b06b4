import { createHmac, generateKeyPairSync } from 'node:crypto';
import { DataSource } from 'typeorm';
import supertest from 'supertest';
import { ImportedPasswords } from '../../src/auth';
import { Transactions, withinOrganization } from '../../src/infrastructure/database';
import { startApp, type TestApp } from '../support/app';
import { OpenIdProvider } from '../support/openid-provider';
import { SsoBrowser } from '../support/sso-browser';
import { until } from '../support/until';

let app: TestApp;
let provider: OpenIdProvider;
beforeAll(async () => {
  provider = await OpenIdProvider.start();
  app = await startApp({
    env: {
      OIDC_ISSUER: provider.url,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET: provider.clientSecret,
      OIDC_NAME: 'Example University',
      OIDC_ROLE_CLAIM: 'roles',
      OIDC_ROLES: 'staff=teacher',
    },
  });
});
afterAll(async () => {
  await app.stop();
  await provider.down();
});
beforeEach(() => {
  provider.person = { sub: 'ada', email: 'ada@uni.example', email_verified: true, name: 'Ada Lovelace', sid: 'sid-1' };
  provider.changeIdToken = (claims) => claims;
  provider.forgeIdToken = (token) => token;
  provider.answerWith = {};
});

const browser = (): SsoBrowser => new SsoBrowser(app);
const sql = (text: string, values: unknown[] = []): Promise<any[]> => app.get(DataSource).query(text, values);
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const REFUSED = '/sign-in?problem=sso_refused';
const EXPIRED = '/sign-in?problem=sso_expired';

async function signedIn(): Promise<SsoBrowser> {
  const one = browser();
  expect(await one.signIn()).toBe('/');
  return one;
}

describe('signing in at the institution', () => {
  it('opens a session for a new person and goes on where they were', async () => {
    const ada = browser();
    const doors = JSON.parse((await ada.visit('/api/v1/session')).text);
    expect(doors).toEqual({
      signed_in: false,
      providers: [{ name: 'Example University', organization: null, url: '/auth/oidc/default/login', logo: null }],
      password: false,
      mail: false,
      sign_out_url: null,
    });
    expect(await ada.signIn('default', '/assistants?page=2')).toBe('/assistants?page=2');
    expect(await ada.me()).toMatchObject({
      user: { email: 'ada@uni.example', name: 'Ada Lovelace' },
      role: 'member',
      credential: { kind: 'session' },
      scopes: ['chat', 'read', 'write'],
    });
    const sessions = JSON.parse((await ada.visit('/api/v1/sessions')).text);
    expect(sessions.items).toMatchObject([{ opened_by: 'single_sign_on', current: true }]);
  });

  it('asks with PKCE, state and nonce', async () => {
    const { location, headers } = await browser().press();
    const asked = new URL(location ?? '').searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      client_id: 'bellwether',
      response_type: 'code',
      scope: 'openid email profile',
      redirect_uri: `${app.url}/auth/oidc/default/callback`,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(headers.getSetCookie()).toEqual([expect.stringMatching(/^bw-sso=[\w-]{43};.*HttpOnly; SameSite=Lax$/)]);
  });

  it('ends the session that was there before', async () => {
    const ada = await signedIn();
    const old = ada.cookies.get('bw');
    await ada.signIn();
    expect(ada.cookies.get('bw')).not.toBe(old);
    const thief = browser();
    thief.cookies.set('bw', old ?? '');
    expect(await thief.me()).toBe(401);
  });

  it('takes roles away that the provider no longer names, with the sessions that had them', async () => {
    provider.person = { ...provider.person, sub: 'grace', email: 'grace@uni.example', roles: ['staff'] };
    const grace = browser();
    await grace.signIn();
    expect((await grace.me()).role).toBe('teacher');
    provider.person = { ...provider.person, roles: [] };
    const later = browser();
    await later.signIn();
    expect((await later.me()).role).toBe('member');
    expect(await grace.me()).toBe(401);
  });

  it.each([
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example/', '/'],
    ['javascript:alert(1)', '/'],
    ['/ok?x=1#y', '/ok?x=1#y'],
  ])('goes on to %s as %s', async (returnTo, where) => expect(await browser().signIn('default', returnTo)).toBe(where));

  it('keeps no token and no secret outside sealed columns', async () => {
    await signedIn();
    const rows = [await sql('SELECT * FROM sessions'), await sql('SELECT * FROM oidc_identities')];
    const text = JSON.stringify([rows, await sql('SELECT * FROM audit_entries')]) + app.log();
    // The beginning of a signed token. Random texts have the first three letters, too, now and then.
    expect(text).not.toMatch(/eyJ[\w-]{8,}\.eyJ/);
    expect(text).not.toContain('canary');
  });

  it('is refused for the account of another person, whatever the address says', async () => {
    provider.person = { sub: 'eve', email: 'admin@localhost', email_verified: true };
    expect(await browser().signIn()).toBe('/sign-in?problem=sso_account_exists');
  });

  it('gives nobody an address that the provider calls unverified', async () => {
    provider.person = { sub: 'faker', email: 'somebody@uni.example', email_verified: false };
    const faker = browser();
    expect(await faker.signIn()).toBe('/');
    expect((await faker.me()).user.email).toMatch(/^[0-9a-f]{20}@default\.invalid$/);
  });

  it('answers 404 for an unknown issuer', async () => {
    expect((await browser().visit('/auth/oidc/nobody/login')).status).toBe(404);
    expect((await browser().press('nobody')).status).toBe(404);
  });
});

describe('a link to a sign-in', () => {
  it('shows whose sign-in it is and begins nothing: its author would sign people in to an account of their own', async () => {
    await sql('DELETE FROM oidc_attempts');
    const victim = browser();
    const { status, location, headers } = await victim.visit('/auth/oidc/default/login?return_to=%2Fruns');
    expect([status, location]).toEqual([303, '/sign-in?issuer=default&to=%2Fruns']);
    expect(headers.getSetCookie()).toEqual([]);
    expect(await sql('SELECT 1 FROM oidc_attempts')).toEqual([]);
  });

  it.each([{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { origin: 'https://evil.example' }])(
    'of a page of another site is refused: %o',
    async (headers) => {
      const answer = await supertest(app.url).post('/auth/oidc/default/login').set(headers);
      expect(answer.body).toMatchObject({ status: 403, code: 'forbidden' });
    },
  );

  it('is remembered for 2,000 sign-ins of one address at most', async () => {
    await sql('DELETE FROM oidc_attempts');
    await sql(`INSERT INTO oidc_attempts (hash, browser_hash, address, issuer_key, return_to, expires_at)
               SELECT 'h' || n, 'b', CASE WHEN n > 2100 THEN '192.0.2.7' ELSE '127.0.0.1' END, 'default', '/',
                      now() + interval '5 minutes' + n * interval '1 ms' FROM generate_series(1, 2110) n`);
    expect(await browser().signIn()).toBe('/');
    const rows = await sql('SELECT address, count(*)::int AS count FROM oidc_attempts GROUP BY address ORDER BY 1');
    expect(rows).toEqual([
      { address: '127.0.0.1', count: 1_999 },
      { address: '192.0.2.7', count: 10 },
    ]);
    await sql('DELETE FROM oidc_attempts');
  });
});

describe('an answer of the provider', () => {
  it('works once', async () => {
    const ada = browser();
    const answer = await ada.begin();
    expect((await ada.visit(answer)).location).toBe('/');
    expect((await ada.visit(answer)).location).toBe(EXPIRED);
  });

  it('works in the browser that asked and in no other', async () => {
    const [ada, victim] = [browser(), browser()];
    await victim.begin();
    const answer = await ada.begin();
    expect((await victim.visit(answer)).location).toBe(EXPIRED);
    expect((await browser().visit(answer)).location).toBe(EXPIRED);
    expect((await ada.visit(answer)).location).toBe('/');
  });

  it.each([
    ['another state', (url: URL) => url.searchParams.set('state', 'x'.repeat(43)), EXPIRED],
    ['no state', (url: URL) => url.searchParams.delete('state'), EXPIRED],
    ['two states', (url: URL) => url.searchParams.append('state', 'x'), REFUSED],
    ['another code', (url: URL) => url.searchParams.set('code', 'guess'), REFUSED],
    ['no code', (url: URL) => url.searchParams.delete('code'), REFUSED],
    ['another issuer (mix-up)', (url: URL) => url.searchParams.set('iss', 'https://evil.example'), REFUSED],
    ['no issuer', (url: URL) => url.searchParams.delete('iss'), REFUSED],
    ['a refusal', (url: URL) => url.searchParams.set('error', 'access_denied'), REFUSED],
  ])('with %s signs nobody in', async (_, change, problem) => {
    const ada = browser();
    const answer = new URL(await ada.begin());
    change(answer);
    expect((await ada.visit(answer.href)).location).toBe(problem);
    expect(await ada.me()).toBe(401);
  });

  it('with the code of another browser signs nobody in', async () => {
    const [ada, eve] = [browser(), browser()];
    const code = new URL(await ada.begin()).searchParams.get('code') ?? '';
    const answer = new URL(await eve.begin());
    answer.searchParams.set('code', code);
    expect((await eve.visit(answer.href)).location).toBe(REFUSED);
  });

  const now = (): number => Math.floor(Date.now() / 1_000);
  it.each<[string, Record<string, unknown>]>([
    ['another nonce', { nonce: 'replayed' }],
    ['no nonce', { nonce: undefined }],
    ['another audience', { aud: 'other' }],
    ['two audiences and no authorized party', { aud: ['bellwether', 'other'], azp: 'other' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['an end long ago', { exp: now() - 600, iat: now() - 900 }],
    ['a beginning later', { nbf: now() + 600 }],
    ['no subject', { sub: undefined }],
  ])('with an ID token with %s signs nobody in', async (_, changes) => {
    provider.changeIdToken = (claims) => ({ ...claims, ...changes });
    const ada = browser();
    expect(await ada.signIn()).toBe(REFUSED);
    expect(await ada.me()).toBe(401);
  });

  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const reheaded = (token: string, header: object, sign: (data: string) => string): string => {
    const data = `${encoded(header)}.${token.split('.')[1] ?? ''}`;
    return `${data}.${sign(data)}`;
  };
  it.each<[string, (token: string) => string]>([
    ['no signature', (token) => reheaded(token, { alg: 'none' }, () => '')],
    [
      'a signature with the public key as secret',
      (token) =>
        reheaded(token, { alg: 'HS256' }, (data) =>
          createHmac('sha256', publicKey.export({ type: 'spki', format: 'pem' }))
            .update(data)
            .digest('base64url'),
        ),
    ],
    [
      'a signature with the client secret',
      (token) =>
        reheaded(token, { alg: 'HS256' }, (data) =>
          createHmac('sha256', provider.clientSecret).update(data).digest('base64url'),
        ),
    ],
    ['a changed signature', (token) => `${token.slice(0, -6)}AAAAAA`],
    ['no token', () => ''],
  ])('with %s signs nobody in', async (_, forge) => {
    provider.forgeIdToken = forge;
    expect(await browser().signIn()).toBe(REFUSED);
    expect(app.log()).toContain('a sign-in failed');
  });

  it('signed with a foreign key signs nobody in', async () => {
    provider.forgeIdToken = async (token) =>
      provider.sign(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()), {
        key: privateKey as never,
      });
    expect(await browser().signIn()).toBe(REFUSED);
  });

  it('signed with a new key signs in at once', async () => {
    await signedIn();
    await provider.rotate();
    await signedIn();
    await provider.rotate();
    await signedIn();
  });
});

describe('signing out', () => {
  it('ends the session here and then at the institution', async () => {
    const ada = await signedIn();
    expect(JSON.parse((await ada.visit('/api/v1/session')).text).sign_out_url).toBe('/auth/oidc/default/logout');
    const cookie = ada.cookies.get('bw') ?? '';
    const { location } = await ada.visit('/auth/oidc/default/logout', { 'sec-fetch-site': 'same-origin' });
    const url = new URL(location ?? '');
    expect(url.origin + url.pathname).toBe(`${provider.url}/logout`);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${app.url}/sign-in`);
    expect(url.searchParams.get('id_token_hint')).toMatch(/^eyJ/);
    expect(ada.cookies.has('bw')).toBe(false);
    ada.cookies.set('bw', cookie);
    expect(await ada.me()).toBe(401);
  });

  it('is not for pages of other sites', async () => {
    const ada = await signedIn();
    expect((await ada.visit('/auth/oidc/default/logout', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await ada.me()).role).toBe('member');
  });
});

describe('a logout notice of the provider', () => {
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const notice = { aud: 'bellwether', events, jti: 'j1' };
  /** The provider's clock shows whole seconds: a session of the same second ends too. */
  const nextSecond = async (): Promise<void> => {
    const second = now();
    await until(() => now() > second);
  };
  const send = async (token: string): Promise<number> => {
    const body = new URLSearchParams({ logout_token: token });
    const address = `${app.url}/auth/oidc/default/backchannel-logout`;
    return (await fetch(address, { method: 'POST', body })).status;
  };
  const now = (): number => Math.floor(Date.now() / 1_000);

  it('ends the session that it names', async () => {
    const ada = await signedIn();
    provider.person = { ...provider.person, sid: 'sid-2' };
    const elsewhere = await signedIn();
    expect(await send(await provider.sign({ ...notice, sid: 'sid-1' }, { header: { typ: 'logout+jwt' } }))).toBe(200);
    expect(await ada.me()).toBe(401);
    expect((await elsewhere.me()).user.email).toBe('ada@uni.example');
  });

  it('ends every session of the person that it names', async () => {
    const both = [await signedIn(), await signedIn()];
    expect(await send(await provider.sign({ ...notice, sub: 'ada' }))).toBe(200);
    expect(await Promise.all(both.map((one) => one.me()))).toEqual([401, 401]);
  });

  it('that is sent again ends no session that began later', async () => {
    const first = await signedIn();
    const token = await provider.sign({ ...notice, sub: 'ada' });
    expect(await send(token)).toBe(200);
    expect(await first.me()).toBe(401);
    await nextSecond();
    const later = await signedIn();
    expect(await send(token)).toBe(200);
    expect((await later.me()).user.email).toBe('ada@uni.example');
  });

  it('is in the audit log, for each session that it ended', async () => {
    const ada = await signedIn();
    const { items } = JSON.parse((await ada.visit('/api/v1/sessions')).text);
    const { id } = items.find(({ current }: { current: boolean }) => current);
    await send(await provider.sign({ ...notice, sub: 'ada' }));
    expect(
      await sql('SELECT actor_kind, after, ip FROM audit_entries WHERE target_id = $1 AND action = $2', [
        id,
        'session.end',
      ]),
    ).toMatchObject([
      { actor_kind: 'system', after: { ended_by: 'provider', issuer: 'default' }, ip: expect.any(String) },
    ]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a nonce', { nonce: 'n' }],
    ['no event', { events: {} }],
    ['another audience', { aud: 'other' }],
    ['nobody', { sub: undefined }],
    ['an old date', { iat: now() - 900 }],
  ])('with %s ends nothing', async (_, changes) => {
    const ada = await signedIn();
    expect(await send(await provider.sign({ ...notice, sub: 'ada', ...changes }))).toBe(400);
    expect((await ada.me()).user.email).toBe('ada@uni.example');
  });

  it('is read as a form only, and only of a few bytes', async () => {
    const address = `${app.url}/auth/oidc/default/backchannel-logout`;
    const post = (body: string, type: string) =>
      fetch(address, { method: 'POST', body, headers: { 'content-type': type } });
    expect((await post('x', 'text/plain')).status).toBe(415);
    expect((await post(`logout_token=${'x'.repeat(20_000)}`, 'application/x-www-form-urlencoded')).status).toBe(413);
    expect((await post('', 'application/x-www-form-urlencoded')).status).toBe(400);
    const session = await fetch(`${app.url}/api/v1/session`, {
      method: 'POST',
      body: new URLSearchParams({ api_key: 'x' }),
    });
    expect(session.status).toBe(415);
  });
});

describe('a password that an import brought', () => {
  // By libxcrypt: crypt("correct horse battery staple", "$2b$12$…").
  const hash = '$2b$12$KjQ0l1Yv6m8cN3pR5tW7xuXwPdh81HKA8v3JTSMtcnlZVQcWRsgxO';
  const right = 'correct horse battery staple';
  let organizationId: string;

  beforeAll(async () => {
    organizationId = (await app.api('GET', '/api/v1/organizations/default')).json.id;
  });

  const member = async (name: string, role = 'teacher'): Promise<string> => {
    const body = { email: `${name}@old.example`, name, role };
    return (await app.api('POST', '/api/v1/organizations/default/members', body)).json.user_id;
  };
  const take = (userId: string, given = hash, minutes = 60): Promise<number> =>
    withinOrganization(organizationId, () =>
      app.get(Transactions).run((tx) => {
        const expiresAt = new Date(Date.now() + minutes * 60_000);
        return app.get(ImportedPasswords).take(organizationId, [{ userId, hash: given }], expiresAt, tx);
      }),
    );
  const enter = (one: SsoBrowser, name: string, password = right) =>
    one.send(new URL('/api/v1/session/password', app.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: `${name}@old.example`, password }),
    });
  const isOffered = async (): Promise<boolean> => JSON.parse((await browser().visit('/api/v1/session')).text).password;

  it('lets its member in once, and links the account of the institution from then on', async () => {
    const userId = await member('grace');
    expect(await isOffered()).toBe(false);
    expect(await take(userId)).toBe(1);
    expect(await isOffered()).toBe(true);
    expect((await sql('SELECT hash FROM imported_passwords'))[0].hash).not.toContain('$2b$');
    const grace = browser();
    const opened = `SELECT id FROM audit_entries WHERE action = 'session.create'`;
    const before = (await sql(opened)).length;
    const { status, text } = await enter(grace, 'Grace');
    expect((await sql(opened)).length - before).toBe(1);
    expect([status, JSON.parse(text)]).toMatchObject([
      200,
      { me: { user: { id: userId }, role: 'teacher' }, providers: [{ name: 'Example University' }] },
    ]);
    const { items } = JSON.parse((await grace.visit('/api/v1/sessions')).text);
    expect(items).toMatchObject([{ opened_by: 'password' }]);
    expect((await enter(browser(), 'grace')).status).toBe(401);
    expect(await sql('SELECT 1 FROM imported_passwords')).toEqual([]);
    expect(await take(userId)).toBe(0);

    // Another address there, which would make another account.
    provider.person = { sub: 'hopper', email: 'hopper@navy.example', email_verified: true, name: 'G. Hopper' };
    expect(await grace.signIn()).toBe('/');
    expect((await grace.me()).user).toMatchObject({ id: userId, email: 'grace@old.example' });
    const later = await signedIn();
    expect((await later.me()).user.id).toBe(userId);
  });

  it('links nobody where another session, another member or an owner signs in', async () => {
    const owner = await member('owner', 'owner');
    await take(owner);
    const boss = browser();
    expect(JSON.parse((await enter(boss, 'owner')).text)).toMatchObject({ me: { role: 'owner' }, providers: [] });
    provider.person = { sub: 'boss', email: 'boss@uni.example', email_verified: true, name: 'Boss' };
    await boss.signIn();
    expect((await boss.me()).user.id).not.toBe(owner);
    const ada = await signedIn();
    provider.person = { sub: 'second', email: 'second@uni.example', email_verified: true, name: 'Second' };
    await ada.signIn();
    expect((await ada.me()).user.email).toBe('second@uni.example');
  });

  it('is refused alike when it is wrong, expired, blocked, of a disabled person or of nobody', async () => {
    const names = ['late', 'off', 'cheap', 'used'];
    const ids = await Promise.all(names.map((name) => member(name)));
    const [late = '', off = '', cheap = '', used = ''] = ids;
    await take(late, hash, -1);
    await take(off);
    await app.api('PATCH', `/api/v1/organizations/default/members/${off}`, { disabled: true });
    // Another cost takes another time.
    expect(await take(cheap, hash.replace('$12$', '$10$'))).toBe(0);
    await sql('UPDATE members SET first_signed_in_at = now() WHERE user_id = $1', [used]);
    expect(await take(used)).toBe(0);
    const refused = { status: 401, code: 'unauthenticated' };
    const answers = [];
    for (const name of ['late', 'off', 'nobody']) answers.push(JSON.parse((await enter(browser(), name)).text));
    for (const answer of answers) expect({ ...answer, request_id: '' }).toEqual({ ...answers[0], request_id: '' });
    expect(answers[0]).toMatchObject(refused);
  });

  it('waits after five wrong ones, and works again afterwards', async () => {
    const userId = await member('slow');
    await take(userId);
    const at = (sign: string) =>
      sql(`SELECT blocked_until ${sign} now() AS is FROM imported_passwords WHERE user_id = $1`, [userId]);
    await sql('UPDATE imported_passwords SET failures = 4 WHERE user_id = $1', [userId]);
    expect((await enter(browser(), 'slow', 'wrong')).status).toBe(401);
    expect(await at('>')).toEqual([{ is: true }]);
    expect((await enter(browser(), 'slow')).status).toBe(401);
    await sql('UPDATE imported_passwords SET blocked_until = now() WHERE user_id = $1', [userId]);
    expect((await enter(browser(), 'slow')).status).toBe(200);
  });
});

describe('while the provider is down', () => {
  it('people who are signed in go on, and new ones are told so', async () => {
    const ada = await signedIn();
    const answer = await browser().begin();
    const eve = browser();
    const waiting = await eve.press();
    await provider.down();
    expect((await ada.me()).user.email).toBe('ada@uni.example');
    const told = await until(async () => {
      const { status, text } = await browser().press();
      return status === 503 && JSON.parse(text);
    });
    expect(told).toMatchObject({ code: 'unavailable' });
    const state = new URL(waiting.location ?? '').searchParams.get('state') ?? '';
    const back = `/auth/oidc/default/callback?code=x&state=${state}&iss=${encodeURIComponent(provider.url)}`;
    expect((await eve.visit(back)).location).toBe('/sign-in?problem=sso_unavailable');
    expect(answer).toContain('code=');
    await provider.up();
  });
});
