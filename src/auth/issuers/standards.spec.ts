import { createHmac } from 'node:crypto';
import { calculatePKCECodeChallenge } from 'openid-client';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { OutboundClient, OutboundRequest } from '../../infrastructure/outbound';
import { DEFAULT_SETTINGS, type Issuer } from './issuer.types';
import { OpenIdClient, RefusedAnswer } from './openid-client';
import { RefusedToken, TokenVerifier } from './token-verifier';

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
type Claims = Record<string, unknown>;

const URL_OF_ISSUER = 'https://sso.uni.example';
const NOW = 1_800_000_000;
const ALL_BUT_DATE = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;
const CODE = 'code-1';
const checks = { redirectUri: 'https://own.example/callback', state: 's', nonce: 'n', verifier: 'v'.repeat(43) };
const issuer: Issuer = {
  ...DEFAULT_SETTINGS,
  id: 'id',
  key: 'campus',
  name: 'Campus',
  organizationId: 'organization',
  url: URL_OF_ISSUER,
  clientId: 'client',
  clientSecret: () => 'secret',
  scopes: 'openid',
  audience: 'api',
  listed: true,
  forAll: false,
  trusted: false,
};
const without = (claims: Claims): Claims =>
  Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

let own: Pair;
let foreign: Pair;
let jwk: object;
beforeAll(async () => {
  [own, foreign] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  jwk = { ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
});
beforeEach(() => jest.useFakeTimers({ now: NOW * 1_000, doNotFake: [...ALL_BUT_DATE] }));
afterEach(() => jest.useRealTimers());

const signed = (claims: Claims, header: object = {}, key = own.privateKey): Promise<string> =>
  new SignJWT(without(claims)).setProtectedHeader({ alg: 'RS256', kid: 'k1', ...header }).sign(key);

/** A provider that answers the token request with this ID token. */
function provider(idToken: string, { document = {}, userinfo = {} }: { document?: object; userinfo?: object } = {}) {
  const asked: OutboundRequest[] = [];
  const answers: Record<string, object> = {
    '/.well-known/openid-configuration': {
      issuer: URL_OF_ISSUER,
      authorization_endpoint: `${URL_OF_ISSUER}/authorize`,
      token_endpoint: `${URL_OF_ISSUER}/token`,
      jwks_uri: `${URL_OF_ISSUER}/jwks`,
      response_types_supported: ['code'],
      authorization_response_iss_parameter_supported: true,
      ...document,
    },
    '/jwks': { keys: [jwk] },
    '/token': { access_token: 'a', token_type: 'Bearer', id_token: idToken },
    '/userinfo': userinfo,
  };
  const outbound = {
    request: (request: OutboundRequest) => {
      asked.push(request);
      const text = JSON.stringify(answers[new URL(request.url).pathname]);
      return Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, text });
    },
    assertDialable: () => Promise.resolve(),
  } as unknown as OutboundClient;
  const client = new OpenIdClient(outbound);
  return { asked, client, verifier: new TokenVerifier(client, outbound) };
}

const idClaims = { iss: URL_OF_ISSUER, sub: 'ada', aud: 'client', nonce: 'n', iat: NOW, exp: NOW + 300 };
const answered = { code: CODE, state: 's', iss: URL_OF_ISSUER };
const outcome = (work: Promise<unknown>): Promise<'accepted' | 'refused'> =>
  work.then(
    () => 'accepted',
    (error: unknown) => {
      if (error instanceof RefusedAnswer || error instanceof RefusedToken) return 'refused';
      throw error;
    },
  );
const signIn = (idToken: string, answer: Record<string, string> = answered, of: object = {}) =>
  outcome(provider(idToken, of).client.finishLogin(issuer, new URLSearchParams(answer), checks));

describe('an ID token (OpenID Connect Core 1.0)', () => {
  it.each<[string, string, Claims, 'accepted' | 'refused']>([
    ['§2', 'all that is required', {}, 'accepted'],
    ['§2', 'no subject', { sub: undefined }, 'refused'],
    ['§2', 'a subject that is no text', { sub: 7 }, 'refused'],
    ['§2', 'an empty subject', { sub: '' }, 'refused'],
    ['§2', 'the longest subject', { sub: 'x'.repeat(255) }, 'accepted'],
    ['§2', 'a longer subject', { sub: 'x'.repeat(256) }, 'refused'],
    ['§2', 'no issuer', { iss: undefined }, 'refused'],
    ['§2', 'no audience', { aud: undefined }, 'refused'],
    ['§2', 'no end', { exp: undefined }, 'refused'],
    ['§2', 'no time of issue', { iat: undefined }, 'refused'],
    ['§3.1.3.7 (2)', 'another issuer', { iss: 'https://evil.example' }, 'refused'],
    ['§3.1.3.7 (2)', 'the issuer with a slash', { iss: `${URL_OF_ISSUER}/` }, 'refused'],
    ['§3.1.3.7 (3)', 'another audience', { aud: 'other' }, 'refused'],
    ['§3.1.3.7 (3)', 'this audience in a list', { aud: ['client'] }, 'accepted'],
    ['§3.1.3.7 (3)', 'no audience in the list', { aud: [] }, 'refused'],
    ['§3.1.3.7 (3)', 'a list without this audience', { aud: ['other', 'third'], azp: 'client' }, 'refused'],
    ['§3.1.3.7 (4)', 'several audiences and no authorized party', { aud: ['client', 'other'] }, 'refused'],
    [
      '§3.1.3.7 (4)',
      'several audiences, this authorized party',
      { aud: ['client', 'other'], azp: 'client' },
      'accepted',
    ],
    ['§3.1.3.7 (5)', 'several audiences, another party', { aud: ['client', 'other'], azp: 'other' }, 'refused'],
    ['§3.1.3.7 (5)', 'one audience, this authorized party', { azp: 'client' }, 'accepted'],
    ['§3.1.3.7 (5)', 'one audience, another party', { azp: 'other' }, 'refused'],
    ['§3.1.3.7 (5)', 'one audience in a list, another party', { aud: ['client'], azp: 'other' }, 'refused'],
    ['§3.1.3.7 (5)', 'one audience, an empty party', { azp: '' }, 'refused'],
    ['§3.1.3.7 (9)', 'an end one second within the tolerance', { exp: NOW - 29 }, 'accepted'],
    ['§3.1.3.7 (9)', 'an end at the tolerance', { exp: NOW - 30 }, 'refused'],
    ['§3.1.3.7 (9)', 'an end that is no number', { exp: String(NOW + 300) }, 'refused'],
    ['§3.1.3.7 (10)', 'an issue at the tolerance', { iat: NOW + 30 }, 'accepted'],
    ['§3.1.3.7 (10)', 'an issue one second later', { iat: NOW + 31 }, 'refused'],
    ['RFC 7519 §4.1.5', 'a start at the tolerance', { nbf: NOW + 30 }, 'accepted'],
    ['RFC 7519 §4.1.5', 'a start one second later', { nbf: NOW + 31 }, 'refused'],
    ['§3.1.3.7 (11)', 'another nonce', { nonce: 'other' }, 'refused'],
    ['§3.1.3.7 (11)', 'no nonce', { nonce: undefined }, 'refused'],
    ['§3.1.3.7 (11)', 'the nonce in a list', { nonce: ['n'] }, 'refused'],
  ])('%s: with %s', async (_, __, changes, expected) =>
    expect(await signIn(await signed({ ...idClaims, ...changes }))).toBe(expected),
  );

  const secretSigned = (claims: Claims, alg: string, secret: string): string => {
    const data = `${encoded({ alg })}.${encoded(claims)}`;
    return `${data}.${alg === 'none' ? '' : createHmac('sha256', secret).update(data).digest('base64url')}`;
  };
  it.each<[string, string, () => Promise<string> | string]>([
    ['§3.1.3.7 (6)', 'of a foreign key', () => signed(idClaims, {}, foreign.privateKey)],
    ['§3.1.3.7 (6)', 'of a key that is not published', () => signed(idClaims, { kid: 'k2' })],
    [
      '§3.1.3.7 (7)',
      'by another algorithm than agreed',
      async () => signed(idClaims, { alg: 'PS256' }, (await generateKeyPair('PS256')).privateKey),
    ],
    ['§3.1.3.7 (7)', 'left out', () => secretSigned(idClaims, 'none', '')],
    ['§3.1.3.7 (8)', 'with the client secret', () => secretSigned(idClaims, 'HS256', 'secret')],
    ['RFC 7515 §4.1.11', 'with an extension that must be known', () => signed(idClaims, { crit: ['b64'], b64: true })],
  ])('%s: a signature %s is refused', async (_, __, token) => expect(await signIn(await token())).toBe('refused'));

  it.each<[string, string, Record<string, string>, 'accepted' | 'refused']>([
    ['RFC 6749 §4.1.2', 'code and state', {}, 'accepted'],
    ['RFC 6749 §10.12', 'another state', { state: 'x' }, 'refused'],
    ['RFC 6749 §10.12', 'an empty state', { state: '' }, 'refused'],
    ['RFC 6749 §4.1.2.1', 'an error', { error: 'access_denied' }, 'refused'],
    ['RFC 9207 §2.4', 'another issuer', { iss: 'https://evil.example' }, 'refused'],
    ['RFC 9207 §2.4', 'the issuer with a slash', { iss: `${URL_OF_ISSUER}/` }, 'refused'],
  ])('%s: an answer with %s', async (_, __, changes, expected) =>
    expect(await signIn(await signed(idClaims), { ...answered, ...changes })).toBe(expected),
  );

  it.each<[string, string, boolean, Record<string, string>, 'accepted' | 'refused']>([
    ['RFC 9207 §2.4', 'no issuer where the provider promises one', true, {}, 'refused'],
    ['RFC 9207 §2.4', 'no issuer where the provider promises none', false, {}, 'accepted'],
    ['RFC 9207 §2.4', 'another issuer where none is promised', false, { iss: 'https://evil.example' }, 'refused'],
  ])('%s: an answer with %s', async (_, __, promised, iss, expected) => {
    const document = { authorization_response_iss_parameter_supported: promised };
    expect(await signIn(await signed(idClaims), { code: CODE, state: 's', ...iss }, { document })).toBe(expected);
  });

  it.each<[string, string, Claims, 'accepted' | 'refused']>([
    ['§5.3.2', 'of the same subject', { sub: 'ada' }, 'accepted'],
    ['§5.3.2', 'of another subject', { sub: 'eve' }, 'refused'],
    ['§5.3.2', 'of nobody', {}, 'refused'],
  ])('%s: userinfo %s', async (_, __, userinfo, expected) => {
    const { client } = provider(await signed(idClaims), {
      document: { userinfo_endpoint: `${URL_OF_ISSUER}/userinfo` },
      userinfo,
    });
    const login = client.finishLogin({ ...issuer, userinfo: true }, new URLSearchParams(answered), checks);
    expect(await outcome(login)).toBe(expected);
  });

  it('Discovery 1.0 §4.3: metadata of another issuer is refused', async () => {
    const { client } = provider('', { document: { issuer: 'https://evil.example' } });
    await expect(client.discover(issuer)).rejects.toThrow();
  });

  it('RFC 7636 §4.2, §4.5: the challenge is the hash of the verifier, which only the token request carries', async () => {
    const { client, asked } = provider(await signed(idClaims));
    const asks = new URL(await client.loginUrl(issuer, checks)).searchParams;
    expect(Object.fromEntries(asks)).toMatchObject({
      response_type: 'code',
      state: 's',
      nonce: 'n',
      code_challenge: await calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
    });
    expect(asks.toString()).not.toContain(checks.verifier);
    await client.finishLogin(issuer, new URLSearchParams(answered), checks);
    const token = asked.find(({ url }) => url.endsWith('/token'));
    expect(Object.fromEntries(new URLSearchParams(String(token?.body)))).toMatchObject({
      grant_type: 'authorization_code',
      code: CODE,
      code_verifier: checks.verifier,
      redirect_uri: checks.redirectUri,
    });
  });
});

describe('an access token (RFC 9068)', () => {
  const claims = { iss: URL_OF_ISSUER, sub: 'ada', aud: 'api', iat: NOW, exp: NOW + 300, client_id: 'c' };
  const check = async (changes: Claims, typ: string | undefined, of: Partial<Issuer> = {}) => {
    const token = await signed({ ...claims, ...changes }, without({ typ }));
    return outcome(provider('').verifier.accessToken({ ...issuer, ...of }, 'api', token));
  };
  it.each<[string, string, Claims, 'accepted' | 'refused']>([
    ['§2.2', 'all that is required', {}, 'accepted'],
    ['§2.2', 'no subject', { sub: undefined }, 'refused'],
    ['§2.2', 'an empty subject', { sub: '' }, 'refused'],
    ['§2.2', 'the longest subject (Core §2)', { sub: 'x'.repeat(255) }, 'accepted'],
    ['§2.2', 'a longer subject', { sub: 'x'.repeat(256) }, 'refused'],
    ['§2.2', 'no end', { exp: undefined }, 'refused'],
    ['§2.2', 'no time of issue', { iat: undefined }, 'refused'],
    ['§4', 'another issuer', { iss: 'https://evil.example' }, 'refused'],
    ['§4', 'no issuer', { iss: undefined }, 'refused'],
    ['§4', 'another audience', { aud: 'client' }, 'refused'],
    ['§4', 'no audience', { aud: undefined }, 'refused'],
    ['§4', 'this audience among others', { aud: ['other', 'api'] }, 'accepted'],
    ['§4', 'an end one second within the tolerance', { exp: NOW - 29 }, 'accepted'],
    ['§4', 'an end at the tolerance', { exp: NOW - 30 }, 'refused'],
    ['RFC 7519 §4.1.5', 'a start at the tolerance', { nbf: NOW + 30 }, 'accepted'],
    ['RFC 7519 §4.1.5', 'a start one second later', { nbf: NOW + 31 }, 'refused'],
    ['RFC 7519 §4.1.6', 'an issue at the tolerance', { iat: NOW + 30 }, 'accepted'],
    ['RFC 7519 §4.1.6', 'an issue one second later', { iat: NOW + 31 }, 'refused'],
    ['RFC 7519 §4.1.6', 'the highest age and tolerance', { iat: NOW - 7_230 }, 'accepted'],
    ['RFC 7519 §4.1.6', 'one second more', { iat: NOW - 7_231 }, 'refused'],
  ])('%s: with %s', async (_, __, changes, expected) => expect(await check(changes, 'at+jwt')).toBe(expected));

  const shared = { audience: 'api', clientId: 'api' };
  it.each<[string, string | undefined, Claims, Partial<Issuer>, 'accepted' | 'refused']>([
    ['at+jwt', 'at+jwt', {}, { accessTokenType: 'at+jwt' }, 'accepted'],
    ['application/at+jwt', 'application/at+jwt', {}, { accessTokenType: 'at+jwt' }, 'accepted'],
    ['AT+JWT', 'AT+JWT', {}, { accessTokenType: 'at+jwt' }, 'accepted'],
    ['JWT where at+jwt is agreed', 'JWT', {}, { accessTokenType: 'at+jwt' }, 'refused'],
    ['nothing where at+jwt is agreed', undefined, {}, { accessTokenType: 'at+jwt' }, 'refused'],
    ['JWT', 'JWT', {}, {}, 'accepted'],
    ['nothing', undefined, {}, {}, 'accepted'],
    ['logout+jwt', 'logout+jwt', {}, {}, 'refused'],
    ['JWT and a nonce, as ID tokens have', 'JWT', { nonce: 'n' }, {}, 'refused'],
    ['JWT and a hash, as ID tokens have', 'JWT', { at_hash: 'h' }, {}, 'refused'],
    ['JWT and the other hash', 'JWT', { c_hash: 'h' }, {}, 'refused'],
    ['JWT and events, as notices have', 'JWT', { events: {} }, {}, 'refused'],
    ['JWT and the kind "ID"', 'JWT', { typ: 'ID' }, {}, 'refused'],
    ['JWT and the kind "Bearer"', 'JWT', { typ: 'Bearer' }, {}, 'accepted'],
    ['JWT, the audience of ID tokens and nothing else', 'JWT', { client_id: undefined }, shared, 'refused'],
    ['JWT, the audience of ID tokens and a scope', 'JWT', { client_id: undefined, scope: 'x' }, shared, 'accepted'],
    ['JWT, the audience of ID tokens and a client', 'JWT', {}, shared, 'accepted'],
  ])('§4: of the type %s', async (_, typ, changes, of, expected) =>
    expect(await check(changes, typ, of)).toBe(expected),
  );

  it('§4: signed with a foreign key is refused', async () => {
    const token = await signed(claims, { typ: 'at+jwt' }, foreign.privateKey);
    expect(await outcome(provider('').verifier.accessToken(issuer, 'api', token))).toBe('refused');
  });
});

describe('a logout notice (OpenID Connect Back-Channel Logout 1.0)', () => {
  const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
  const claims = { iss: URL_OF_ISSUER, aud: 'client', iat: NOW, exp: NOW + 120, jti: 'j', events: { [EVENT]: {} } };
  const check = async (changes: Claims, header: object = {}, key = own.privateKey) =>
    outcome(
      provider('').verifier.logoutNotice(issuer, await signed({ ...claims, sub: 'ada', ...changes }, header, key)),
    );
  it.each<[string, string, Claims, object, 'accepted' | 'refused']>([
    ['§2.4', 'a subject', {}, {}, 'accepted'],
    ['§2.4', 'a session', { sub: undefined, sid: 's1' }, {}, 'accepted'],
    ['§2.4', 'both', { sid: 's1' }, {}, 'accepted'],
    ['§2.6 (4)', 'neither', { sub: undefined }, {}, 'refused'],
    ['§2.6 (4)', 'a session that is no text', { sub: undefined, sid: 7 }, {}, 'refused'],
    ['§2.6 (3)', 'another issuer', { iss: 'https://evil.example' }, {}, 'refused'],
    ['§2.6 (3)', 'another audience', { aud: 'other' }, {}, 'refused'],
    ['§2.6 (3)', 'no time of issue', { iat: undefined }, {}, 'refused'],
    ['§2.6 (3)', 'an issue at the tolerance', { iat: NOW + 30 }, {}, 'accepted'],
    ['§2.6 (3)', 'an issue one second later', { iat: NOW + 31 }, {}, 'refused'],
    ['§2.6 (3)', 'the highest age and tolerance', { iat: NOW - 330 }, {}, 'accepted'],
    ['§2.6 (3)', 'one second more', { iat: NOW - 331 }, {}, 'refused'],
    ['§2.6 (3)', 'an end one second within the tolerance', { exp: NOW - 29 }, {}, 'accepted'],
    ['§2.6 (3)', 'an end at the tolerance', { exp: NOW - 30 }, {}, 'refused'],
    ['§2.6 (5)', 'no events', { events: undefined }, {}, 'refused'],
    ['§2.6 (5)', 'another event', { events: { other: {} } }, {}, 'refused'],
    ['§2.6 (5)', 'the event in a list', { events: [EVENT] }, {}, 'refused'],
    ['§2.6 (6)', 'a nonce', { nonce: 'n' }, {}, 'refused'],
    ['§2.6 (6)', 'an empty nonce', { nonce: null }, {}, 'refused'],
    ['§2.4', 'the type that is recommended', {}, { typ: 'logout+jwt' }, 'accepted'],
    ['§2.4', 'the type JWT', {}, { typ: 'JWT' }, 'accepted'],
    ['§2.4', 'the type of an access token', {}, { typ: 'at+jwt' }, 'refused'],
  ])('%s: with %s', async (_, __, changes, header, expected) => expect(await check(changes, header)).toBe(expected));

  it('§2.6 (2): signed with a foreign key is refused', async () =>
    expect(await check({}, {}, foreign.privateKey)).toBe('refused'));

  it('tells whom it names, and when by the clock of the provider', async () => {
    const token = await signed({ ...claims, sub: 'ada', sid: 's1' });
    expect(await provider('').verifier.logoutNotice(issuer, token)).toEqual({
      issuer: URL_OF_ISSUER,
      subject: 'ada',
      session: 's1',
      issuedAt: new Date(NOW * 1_000),
    });
  });
});
