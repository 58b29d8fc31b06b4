import { AppError } from '@bellwether/kernel';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { PlatformKeys } from './platforms/platforms.service';
import { verifiedClaims } from './id-token';
import { RefusedLaunch } from './launch-claims';

/** The limits of time are compared with a clock that stands. */
const NOW = 1_800_000_000;
beforeEach(() => jest.spyOn(Date.prototype, 'getTime').mockReturnValue(NOW * 1_000));
afterEach(() => jest.restoreAllMocks());

const platform = { issuer: 'https://lms.example', clientId: 'tool-1', jwksUri: 'https://lms.example/jwks' };
type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
let own: Pair;
let foreign: Pair;
let keys: PlatformKeys;
beforeAll(async () => {
  [own, foreign] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  const set = { keys: [{ ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'RS256' }] };
  const document = { current: () => Promise.resolve(set), search: () => Promise.resolve(null) };
  keys = { of: () => document } as unknown as PlatformKeys;
});

async function refusalOf(claims: object, key: Pair['privateKey'] = own.privateKey): Promise<string | null> {
  const all = { iss: platform.issuer, aud: platform.clientId, nonce: 'n', iat: NOW, exp: NOW + 300, ...claims };
  const told = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  const token = await new SignJWT(told).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(key);
  return verifiedClaims(platform, keys, { token, isNonce: (nonce) => nonce === 'n' }).then(
    () => null,
    (error: unknown) => (error instanceof RefusedLaunch ? error.refusal : String(error)),
  );
}
const now = (): number => NOW;

describe('an ID token of a platform (1EdTech Security Framework 1.0 §5.1.3)', () => {
  it.each<[string, () => object, string | null]>([
    ['one audience', () => ({}), null],
    ['one audience in a list', () => ({ aud: ['tool-1'] }), null],
    ['one audience and azp', () => ({ azp: 'tool-1' }), null],
    ['one audience and a foreign azp', () => ({ azp: 'tool-2' }), 'audience'],
    ['one audience in a list and a foreign azp', () => ({ aud: ['tool-1'], azp: 'tool-2' }), 'audience'],
    ['one audience and an empty azp', () => ({ azp: '' }), 'audience'],
    ['several audiences and azp', () => ({ aud: ['tool-1', 'tool-2'], azp: 'tool-1' }), null],
    ['several audiences and a foreign azp', () => ({ aud: ['tool-1', 'tool-2'], azp: 'tool-2' }), 'audience'],
    ['several audiences without azp', () => ({ aud: ['tool-1', 'tool-2'] }), 'audience'],
    ['a foreign audience', () => ({ aud: 'tool-2', azp: 'tool-1' }), 'audience'],
    ['no audience', () => ({ aud: undefined }), 'claims'],
    ['a foreign issuer', () => ({ iss: 'https://lms.example/' }), 'issuer'],
    ['no issuer', () => ({ iss: undefined }), 'claims'],
    ['a foreign nonce', () => ({ nonce: 'other' }), 'nonce'],
    ['no nonce', () => ({ nonce: undefined }), 'claims'],
    ['a nonce that is no text', () => ({ nonce: 7 }), 'nonce'],
    ['no time of issue', () => ({ iat: undefined }), 'claims'],
    ['no end', () => ({ exp: undefined }), 'claims'],
    ['an end one second within the tolerance', () => ({ exp: now() - 59 }), null],
    ['an end at the tolerance', () => ({ exp: now() - 60 }), 'expired'],
    ['an issue at the tolerance', () => ({ iat: now() + 60 }), null],
    ['an issue one second later', () => ({ iat: now() + 61 }), 'clock'],
    ['an issue of an hour and the tolerance ago', () => ({ iat: now() - 3_660 }), null],
    ['an issue one second before', () => ({ iat: now() - 3_661 }), 'expired'],
    ['a start at the tolerance', () => ({ nbf: now() + 60 }), null],
    ['a start one second later', () => ({ nbf: now() + 61 }), 'clock'],
  ])('with %s', async (_, claims, expected) => expect(await refusalOf(claims())).toBe(expected));

  it('signed with a foreign key is refused', async () =>
    expect(await refusalOf({}, foreign.privateKey)).toBe('signature'));

  const launch = async (from: PlatformKeys, claims: object = {}): Promise<unknown> => {
    const all = { iss: platform.issuer, aud: platform.clientId, nonce: 'n', iat: now(), exp: now() + 300, ...claims };
    const token = await new SignJWT(all).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(own.privateKey);
    return verifiedClaims(platform, from, { token, isNonce: () => true }).catch((error: unknown) => error);
  };
  const keysOf = (current: () => Promise<unknown>, newer: unknown = null): PlatformKeys =>
    ({ of: () => ({ current, search: () => Promise.resolve(newer) }) }) as unknown as PlatformKeys;
  const empty = (): Promise<unknown> => Promise.resolve({ keys: [] });

  it('by a key that the platform has taken into use since is known after another look', async () => {
    const newer = await keys.of('').current();
    expect(await launch(keysOf(empty, newer))).toMatchObject({ nonce: 'n' });
    expect(await launch(keysOf(empty, { keys: [] }))).toMatchObject({ refusal: 'signature' });
    expect(await launch(keysOf(empty))).toMatchObject({ refusal: 'signature', detail: 'ERR_JWKS_NO_MATCHING_KEY' });
    const broken = keysOf(() => Promise.resolve({}), newer);
    expect(await launch(broken)).toMatchObject({ refusal: 'signature', detail: 'ERR_JWKS_INVALID' });
  });

  it('whose key set cannot be read is the platform’s fault, told by the innermost cause', async () => {
    const failing = (error: Error): PlatformKeys => keysOf(() => Promise.reject(error));
    const cause = new Error(`connect ECONNREFUSED ${'x'.repeat(300)}`);
    const unreadable = new AppError('upstream_error', 'Unreadable', { cause: new Error('fetch failed', { cause }) });
    expect(await launch(failing(unreadable))).toMatchObject({
      refusal: 'platform_unavailable',
      detail: cause.message.slice(0, 200),
    });
    const bug = new AppError('internal_error', 'A bug here');
    expect(await launch(failing(bug))).toBe(bug);
    expect(await launch(failing(new Error('odd')))).toMatchObject({ refusal: 'signature', detail: 'invalid' });
  });

  it.each<[string, object, string, string]>([
    ['the claim that is wrong', { iss: 'x' }, 'issuer', 'ERR_JWT_CLAIM_VALIDATION_FAILED iss'],
    ['that it has ended', { exp: 1 }, 'expired', 'ERR_JWT_EXPIRED exp'],
    ['the other party', { azp: 'tool-2' }, 'audience', 'azp'],
  ])('tells the log %s', async (_, claims, refusal, detail) =>
    expect(await launch(keys, claims)).toMatchObject({ refusal, detail }),
  );
});
