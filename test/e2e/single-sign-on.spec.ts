import { createHmac, generateKeyPairSync } from 'node:crypto';
import { DataSource } from 'typeorm';
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
    expect(text).not.toContain('eyJ');
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
      const answer = await app.request().post('/auth/oidc/default/login').set(headers);
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
