import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { generateKeyPair } from 'jose';
import { startApp, type TestApp } from '../support/app';
import { OpenIdProvider } from '../support/openid-provider';
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
      OIDC_AUDIENCE: 'bellwether-api',
      OIDC_ROLE_CLAIM: 'realm_access.roles',
      OIDC_ROLES: 'staff=teacher,it=admin',
    },
  });
});
afterAll(async () => {
  await app.stop();
  await provider.down();
});

const now = (): number => Math.floor(Date.now() / 1_000);
const good = { aud: 'bellwether-api', sub: 'u1', email: 'u1@uni.example', email_verified: true };
const me = (token: string) => app.api('GET', '/api/v1/me', undefined, { authorization: `Bearer ${token}` });
const status = async (token: string): Promise<number> => (await me(token)).status;
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const roles = (...names: string[]) => ({ realm_access: { roles: names } });

/** A token with another header, whose signature `sign` makes. */
async function reheaded(header: object, sign: (data: string) => string = () => ''): Promise<string> {
  const [, payload = ''] = (await provider.sign(good)).split('.');
  const data = `${encoded(header)}.${payload}`;
  return `${data}.${sign(data)}`;
}

describe('access tokens', () => {
  it('make an account just in time, and the same one for the same subject', async () => {
    const first = await me(await provider.sign(good));
    expect(first.json).toMatchObject({
      user: { email: 'u1@uni.example' },
      role: 'member',
      system_admin: false,
      credential: { kind: 'token', id: null },
      scopes: ['chat', 'read', 'write'],
    });
    const again = await me(await provider.sign({ ...good, email: 'renamed@uni.example' }));
    expect(again.json.user.id).toBe(first.json.user.id);
  });

  it.each([
    ['at+jwt', { typ: 'at+jwt' }],
    ['application/at+jwt', { typ: 'application/at+jwt' }],
    ['JWT', { typ: 'JWT' }],
    ['nothing', { typ: undefined }],
  ])('may have the typ %s', async (_, header) => expect(await status(await provider.sign(good, { header }))).toBe(200));

  it.each<[string, object, number]>([
    ['a list of audiences', { aud: ['other', 'bellwether-api'] }, 200],
    ['an end 20 s ago', { exp: now() - 20 }, 200],
    ['a beginning in 20 s', { nbf: now() + 20 }, 200],
    ['Keycloak claims', { typ: 'Bearer', azp: 'moodle' }, 200],
    ['another audience', { aud: 'other' }, 401],
    ['no audience', { aud: undefined }, 401],
    ['another issuer', { iss: 'http://evil.example' }, 401],
    ['the issuer with a slash', { iss: 'slash' }, 401],
    ['an end long ago', { exp: now() - 600, iat: now() - 900 }, 401],
    ['no end', { exp: undefined }, 401],
    ['an end that is a text', { exp: String(now() + 300) }, 401],
    ['a beginning in a minute', { nbf: now() + 60 }, 401],
    ['a date of issue in the future', { iat: now() + 600 }, 401],
    ['a date of issue three hours ago', { iat: now() - 3 * 3_600 }, 401],
    ['no subject', { sub: undefined }, 401],
    ['the nonce of an ID token', { nonce: 'n' }, 401],
    ['the at_hash of an ID token', { at_hash: 'h' }, 401],
    ['the kind of a refresh token', { typ: 'Refresh' }, 401],
    ['the event of a logout', { events: {} }, 401],
  ])('with %s', async (name, claims, expected) => {
    const all = { ...good, ...claims, ...(name === 'the issuer with a slash' && { iss: `${provider.url}/` }) };
    expect(await status(await provider.sign(all))).toBe(expected);
  });

  it('that are forged are refused', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const { privateKey: pss } = await generateKeyPair('PS256');
    const pem = createPublicKey({ key: provider.publicKey as never, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    });
    const kid = provider.publicKey.kid;
    const hs256 = (data: string): string => createHmac('sha256', pem).update(data).digest('base64url');
    const own = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
    const signed = await provider.sign(good);
    const forged = {
      none: await reheaded({ alg: 'none', typ: 'JWT' }),
      'hs256 with the public key': await reheaded({ alg: 'HS256', typ: 'JWT', kid }, hs256),
      'another key': await provider.sign(good, { key: privateKey }),
      'an algorithm that is not listed': await provider.sign(good, { key: pss, header: { alg: 'PS256' } }),
      'a key in the header': await provider.sign(good, { key: privateKey, header: { jwk: own } }),
      'an address of keys': await provider.sign(good, { key: privateKey, header: { jku: `${provider.url}/jwks` } }),
      'a path as key': await provider.sign(good, { key: privateKey, header: { kid: '../../etc/passwd' } }),
      'the typ of a logout': await provider.sign(good, { header: { typ: 'logout+jwt' } }),
      'a changed signature': `${signed.slice(0, -6)}AAAAAA`,
      'a changed payload': signed.replace(
        /\.[^.]+\./,
        `.${encoded({ ...good, iss: provider.url, exp: now() + 99, iat: now() })}.`,
      ),
      'no signature': `${signed.slice(0, signed.lastIndexOf('.'))}.`,
      'no payload': 'eyJhbGciOiJSUzI1NiJ9.e30.AAAA',
    };
    for (const [name, token] of Object.entries(forged)) expect([name, await status(token)]).toEqual([name, 401]);
    const byHeader = await app.api('GET', '/api/v1/me', undefined, { 'x-api-key': forged['another key'] });
    expect(byHeader.json).toMatchObject({ code: 'unauthenticated' });
    expect(app.log()).not.toContain(forged['another key'].slice(0, 60));
    expect(app.log()).toContain('an access token was refused');
  });

  it('give the role that their claims give now', async () => {
    const person = { ...good, sub: 'roles', email: 'roles@uni.example' };
    const roleWith = async (claims: object): Promise<string> =>
      (await me(await provider.sign({ ...person, ...claims }))).json.role;
    expect(await roleWith({ iat: now() - 50, ...roles('students', 'staff') })).toBe('teacher');
    expect(await roleWith({ iat: now() - 40, ...roles('staff', 'it') })).toBe('admin');
    expect(await roleWith({ iat: now() - 30, ...roles('staff') })).toBe('teacher');
    expect(await roleWith({ iat: now() - 45, ...roles('it') })).toBe('teacher');
    expect(await roleWith({ iat: now() - 20 })).toBe('teacher');
  });

  it('do not reach the account of another person with the same address', async () => {
    const token = await provider.sign({ ...good, sub: 'thief', email: 'admin@localhost' });
    expect(await status(token)).toBe(401);
  });

  it('end for a member who is disabled', async () => {
    const person = { ...good, sub: 'leaver', email: 'leaver@uni.example' };
    const token = await provider.sign(person);
    expect(await status(token)).toBe(200);
    await app.api('PATCH', '/api/v1/organizations/default/members/leaver@uni.example', { disabled: true });
    expect(await status(token)).toBe(401);
  });
});

describe('the keys of the provider', () => {
  it('are found after a rotation without a restart, and asked for once however many tokens name unknown ones', async () => {
    const old = await provider.sign(good);
    await provider.rotate();
    await until(async () => (await status(await provider.sign({ ...good, jti: String(Math.random()) }))) === 200);
    expect(await status(await provider.sign({ ...good, jti: 'new' }))).toBe(200);
    expect(await status(old)).toBe(401);
    const asked = provider.count('/jwks');
    const { privateKey } = await generateKeyPair('RS256');
    const unknown = Array.from({ length: 30 }, async (_, n) =>
      status(await provider.sign(good, { key: privateKey, header: { kid: `guess-${n}` } })),
    );
    expect(new Set(await Promise.all(unknown))).toEqual(new Set([401]));
    expect(provider.count('/jwks')).toBe(asked);
  });

  it('that are known go on while the provider is down', async () => {
    await provider.down();
    expect(await status(await provider.sign({ ...good, jti: 'while-down' }))).toBe(200);
    await provider.up();
  });
});

it('answers 503 while no key was ever read', async () => {
  const away = await OpenIdProvider.start();
  await away.down();
  const env = { OIDC_ISSUER: away.url, OIDC_CLIENT_ID: 'x', OIDC_AUDIENCE: 'bellwether-api' };
  const other = await startApp({ reset: false, env });
  const authorization = `Bearer ${await away.sign(good)}`;
  const answer = await other.api('GET', '/api/v1/me', undefined, { authorization });
  expect(answer.json).toMatchObject({ status: 503, code: 'unavailable' });
  await other.stop();
});
