// Single sign-on against an OpenID Certified implementation. Forgeries that it refuses to make: single-sign-on, access-tokens.
import { createHmac, createPublicKey } from 'node:crypto';
import { DataSource } from 'typeorm';
import { startApp, type TestApp } from '../support/app';
import { CertifiedProvider, PROGRAM_REDIRECT, type RegisteredClient } from '../support/certified-provider';
import { foreignOrganization } from '../support/people';
import { SsoBrowser } from '../support/sso-browser';
import { until } from '../support/until';

const AUDIENCE = 'https://api.bellwether.example';
const STAFF = { email: 'ada@uni.example', email_verified: true, name: 'Ada Lovelace', roles: ['staff'] };

let app: TestApp;
let provider: CertifiedProvider;
let program: RegisteredClient;
beforeAll(async () => {
  [app, provider] = [await startApp(), await CertifiedProvider.start()];
  await registered('campus', 'default', { audience: AUDIENCE });
  program = await provider.register({
    redirect_uris: [PROGRAM_REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
  });
});
afterAll(async () => {
  await provider.stop();
  await app.stop();
});
beforeEach(() => provider.person('ada', STAFF));

/** The service as a client of a provider, and the provider as an issuer of an organization. */
async function registered(key: string, slug: string, more: object = {}, at = provider): Promise<void> {
  const client = await at.register({
    redirect_uris: [`${app.url}/auth/oidc/${key}/callback`],
    post_logout_redirect_uris: [`${app.url}/sign-in`],
    backchannel_logout_uri: `${app.url}/auth/oidc/${key}/backchannel-logout`,
    backchannel_logout_session_required: true,
  });
  const answer = await app.api('POST', `/api/v1/organizations/${slug}/sign-on/issuers`, {
    key,
    name: 'Example University',
    issuer: at.url,
    client_id: client.client_id,
    client_secret: client.client_secret,
    role_claim: 'roles',
    roles: { staff: 'teacher' },
    ...more,
  });
  if (answer.status !== 201) throw new Error(answer.text);
}

/** Up to the answer of the provider. */
async function answerFor(browser: SsoBrowser, key = 'campus', at = provider): Promise<string> {
  const { location, text } = await browser.press(key);
  if (location === null) throw new Error(text);
  return (await at.visit(browser, location, 'ada')).end;
}
async function signedIn(browser = new SsoBrowser(app), key = 'campus'): Promise<SsoBrowser> {
  expect((await browser.visit(await answerFor(browser, key))).location).toBe('/');
  return browser;
}
const me = (token: string) => app.api('GET', '/api/v1/me', undefined, { authorization: `Bearer ${token}` });
const status = async (token: string): Promise<number> => (await me(token)).status;
const sql = (text: string, values: unknown[] = []): Promise<any[]> => app.get(DataSource).query(text, values);
const claimsOf = (token: string): any => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

describe('a browser', () => {
  it('signs in with the role that the claims give', async () => {
    const ada = await signedIn();
    expect(await ada.me()).toMatchObject({ user: { email: 'ada@uni.example', name: 'Ada Lovelace' }, role: 'teacher' });
  });

  it('loses a role that the provider no longer names, with the session that had it', async () => {
    const before = await signedIn();
    await provider.person('ada', { ...STAFF, roles: [] });
    const after = await signedIn();
    expect((await after.me()).role).toBe('member');
    expect(await before.me()).toBe(401);
  });

  it('signs out here and at the provider, and signs in anew then', async () => {
    const ada = await signedIn();
    const again = new URL(await answerFor(ada));
    expect(again.searchParams.get('code')).toMatch(/./);
    const { location } = await ada.visit('/auth/oidc/campus/logout', { 'sec-fetch-site': 'same-origin' });
    expect((await provider.visit(ada, location ?? '')).end).toBe(`${app.url}/sign-in`);
    expect(await ada.me()).toBe(401);
    const { location: login } = await ada.press('campus');
    expect((await provider.visit(ada, login ?? '', 'ada')).askedToSignIn).toBe(true);
    expect(await sql(`SELECT 1 FROM audit_entries WHERE action = 'session.end'`)).not.toEqual([]);
  });

  it('that signs out of one service is signed out of all by the provider', async () => {
    const slug = await foreignOrganization(app);
    await registered('second', slug);
    const ada = await signedIn();
    const elsewhere = new SsoBrowser(app);
    elsewhere.adopt(ada, provider.url);
    await signedIn(elsewhere, 'second');
    const { location } = await ada.visit('/auth/oidc/campus/logout', { 'sec-fetch-site': 'same-origin' });
    expect((await elsewhere.me()).organization.slug).toBe(slug);
    await provider.visit(ada, location ?? '');
    await until(async () => (await elsewhere.me()) === 401);
    const [entry] = await sql(`SELECT after FROM audit_entries WHERE action = 'session.end' AND actor_kind = 'system'`);
    expect(entry.after).toMatchObject({ ended_by: 'provider', issuer: 'second' });
  });

  it('signs in after the provider changed its keys', async () => {
    await signedIn();
    await provider.rotate();
    await signedIn();
  });
});

describe('an answer', () => {
  it('that is used again signs nobody in', async () => {
    const ada = new SsoBrowser(app);
    const answer = await answerFor(ada);
    expect((await ada.visit(answer)).location).toBe('/');
    expect((await ada.visit(answer)).location).toBe('/sign-in?problem=sso_expired');
  });

  it('with a code that was used is refused by the provider', async () => {
    const ada = new SsoBrowser(app);
    const used = await answerFor(ada);
    await ada.visit(used);
    const replayed = new URL(await answerFor(ada));
    replayed.searchParams.set('code', new URL(used).searchParams.get('code') ?? '');
    expect((await ada.visit(replayed.href)).location).toBe('/sign-in?problem=sso_refused');
  });

  it('whose state was stolen signs the thief in to nothing', async () => {
    const answer = await answerFor(new SsoBrowser(app));
    const thief = new SsoBrowser(app);
    await thief.press('campus');
    expect((await thief.visit(answer)).location).toBe('/sign-in?problem=sso_expired');
    expect(await thief.me()).toBe(401);
  });

  it('of another provider is refused (mix-up)', async () => {
    const other = await CertifiedProvider.start();
    await other.person('ada', STAFF);
    await registered('other', 'default', {}, other);
    const ada = new SsoBrowser(app);
    const honest = new URL(await answerFor(ada));
    const foreign = new URL(await answerFor(ada, 'other', other));
    for (const name of ['code', 'iss']) honest.searchParams.set(name, foreign.searchParams.get(name) ?? '');
    expect((await ada.visit(honest.href)).location).toBe('/sign-in?problem=sso_refused');
    await other.stop();
  });

  it.each([
    ['an end in the past', -7_200],
    ['a beginning in the future', 7_200],
  ])('with an ID token with %s signs nobody in', async (_, seconds) => {
    await signedIn();
    await provider.setClock(seconds);
    const ada = new SsoBrowser(app);
    const { location } = await ada.visit(await answerFor(ada));
    await provider.setClock(0);
    expect(location).toBe('/sign-in?problem=sso_refused');
  });
});

describe('a program', () => {
  it('calls with an access token, and with none that is for another audience', async () => {
    const { access_token: token } = await provider.tokens(program, 'ada', AUDIENCE);
    expect((await me(token)).json).toMatchObject({ credential: { kind: 'token' }, role: 'teacher' });
    const { access_token: foreign } = await provider.tokens(program, 'ada', 'https://mail.example');
    expect(claimsOf(foreign).aud).toBe('https://mail.example');
    expect(await status(foreign)).toBe(401);
  });

  it('refreshes its token, and a role that is gone ends at once, with the sessions that had it', async () => {
    const browser = await signedIn();
    const tokens = await provider.tokens(program, 'ada', AUDIENCE);
    expect((await me(tokens.access_token)).json.role).toBe('teacher');
    await until(() => Math.floor(Date.now() / 1_000) > claimsOf(tokens.access_token).iat);
    await provider.person('ada', { ...STAFF, roles: ['alumni'] });
    const later = await provider.refresh(program, tokens);
    const answer = await me(later.access_token);
    expect([answer.status, answer.json.role]).toEqual([200, 'member']);
    expect((await me(tokens.access_token)).json.role).toBe('member');
    expect(await browser.me()).toBe(401);
  });

  it('is refused with the ID token of a browser', async () => {
    const { id_token: token } = await provider.tokens(program, 'ada', AUDIENCE);
    expect(await status(token)).toBe(401);
  });

  it('is refused with a real token that was changed', async () => {
    const { access_token: token } = await provider.tokens(program, 'ada', AUDIENCE);
    const [header = '', payload = '', signature = ''] = token.split('.');
    const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
    const { keys } = (await (await fetch(`${provider.url}/jwks`)).json()) as { keys: { kid: string }[] };
    const key = createPublicKey({ key: keys.find((each) => each.kid === kid) as never, format: 'jwk' });
    const pem = key.export({ type: 'spki', format: 'pem' });
    const symmetric = `${encoded({ alg: 'HS256', typ: 'at+jwt', kid })}.${payload}`;
    const raised = encoded({ ...claimsOf(token), roles: ['it'], sub: 'admin' });
    for (const forged of [
      `${encoded({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
      `${symmetric}.${createHmac('sha256', pem).update(symmetric).digest('base64url')}`,
      `${header}.${raised}.${signature}`,
    ]) {
      expect(await status(forged)).toBe(401);
    }
    expect(await status(token)).toBe(200);
  });

  it.each([
    ['ended', -7_200],
    ['has not begun', 7_200],
  ])('is refused with a token that %s', async (_, seconds) => {
    await provider.setClock(seconds);
    const { access_token: token } = await provider.tokens(program, 'ada', AUDIENCE);
    await provider.setClock(0);
    expect(await status(token)).toBe(401);
  });

  it('goes on after the provider changed its keys', async () => {
    await provider.rotate();
    const { access_token: token } = await provider.tokens(program, 'ada', AUDIENCE);
    await until(async () => (await status(token)) === 200);
  });
});

describe('while the provider is down', () => {
  it('people and programs that are known go on, and new sign-ins are told so', async () => {
    const ada = await signedIn();
    const { access_token: token } = await provider.tokens(program, 'ada', AUDIENCE);
    expect(await status(token)).toBe(200);
    await provider.down();
    expect((await ada.me()).role).toBe('teacher');
    expect(await status(token)).toBe(200);
    const told = await until(async () => {
      const { status: code, text } = await new SsoBrowser(app).press('campus');
      return code === 503 && JSON.parse(text);
    });
    expect(told).toMatchObject({ code: 'unavailable' });
    await provider.up();
    await until(async () => (await new SsoBrowser(app).press('campus')).status === 200);
    await signedIn();
  });
});
