import { AppError } from '@bellwether/kernel';
import type { OutboundClient } from '../../infrastructure/outbound';
import { environmentIssuer } from './issuers.service';
import { lacksClaims, mergedClaims, missingClaims } from './claims';
import { DEFAULT_RULES, DEFAULT_SETTINGS, type Issuer } from './issuer.types';
import { OpenIdClient } from './openid-client';

const URL_OF_ISSUER = 'https://sso.uni.example';
const issuer = (changes: Partial<Issuer> = {}): Issuer => ({
  ...DEFAULT_SETTINGS,
  id: 'id',
  key: 'campus',
  name: 'Campus',
  organizationId: 'organization',
  url: URL_OF_ISSUER,
  clientId: 'client',
  clientSecret: () => 'secret',
  listed: true,
  forAll: false,
  trusted: false,
  ...changes,
});
const usual = {
  issuer: URL_OF_ISSUER,
  authorization_endpoint: `${URL_OF_ISSUER}/authorize`,
  token_endpoint: `${URL_OF_ISSUER}/token`,
  jwks_uri: `${URL_OF_ISSUER}/jwks`,
  userinfo_endpoint: `${URL_OF_ISSUER}/userinfo`,
  end_session_endpoint: `${URL_OF_ISSUER}/logout`,
  response_types_supported: ['code'],
};

/** A provider whose discovery document holds these members; addresses of `inside.example` are private. */
function clientOf(document: object): OpenIdClient {
  const outbound = {
    request: () =>
      Promise.resolve({
        status: 200,
        headers: { 'content-type': 'application/json' },
        text: JSON.stringify({ ...usual, ...document }),
      }),
    assertDialable: (address: string) =>
      address.includes('inside.example')
        ? Promise.reject(new AppError('outbound_refused', 'Connections to inside.example are not allowed'))
        : Promise.resolve(),
  };
  return new OpenIdClient(outbound as unknown as OutboundClient);
}

describe('the discovery document', () => {
  const ENDPOINTS = Object.keys(usual).filter((name) => /_endpoint$|_uri$/.test(name));
  const ODD = [
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'ftp://uni.example',
    'uni.example',
    '',
    7,
  ];
  const checks = { redirectUri: 'https://own.example/callback', state: 's', nonce: 'n', verifier: 'v'.repeat(43) };

  it.each(
    ENDPOINTS.flatMap((name) => [...ODD, 'http://uni.example/', 'https://inside.example/'].map((to) => [name, to])),
  )('is refused where %s is %s, when it is read and by the sign-in', async (name, address) => {
    const client = clientOf({ [name]: address });
    const read: unknown = await client.discover(issuer()).catch((error: unknown) => error);
    expect(read).toBeInstanceOf(Error);
    await expect(client.loginUrl(issuer(), checks)).rejects.toMatchObject({
      message: expect.stringMatching(/refused|does not answer/),
    });
  });

  it('may name plain and private addresses where the operator set a plain provider', async () => {
    const url = 'http://sso.inside.example';
    const client = clientOf({ issuer: url, token_endpoint: 'http://inside.example/token' });
    const operators = environmentIssuer(
      { ...OIDC, issuer: url, clientId: 'client' } as Parameters<typeof environmentIssuer>[0],
      'organization',
    );
    expect(operators).not.toBeNull();
    expect((await client.discover(operators ?? issuer())).token_endpoint).toBe('http://inside.example/token');
  });

  it('need not name what the service can do without', async () => {
    const client = clientOf({ userinfo_endpoint: undefined, end_session_endpoint: undefined });
    expect(await client.discover(issuer())).not.toHaveProperty('userinfo_endpoint');
    expect(await client.loginUrl(issuer(), checks)).toContain(`${URL_OF_ISSUER}/authorize?`);
  });
});

const OIDC = { clientSecret: null, name: 'Campus', listed: true, forAll: false, defaultRole: 'member' };

describe('the claims of a person', () => {
  const all = { sub: '1', email: 'a@uni.example', name: 'A' };
  const rules = (changes: object): Issuer => issuer({ rules: { ...DEFAULT_RULES, ...changes } });

  it.each<[string, object, Issuer, boolean]>([
    ['nothing', all, issuer(), false],
    ['the address', { ...all, email: undefined }, issuer(), true],
    ['the name', { ...all, name: undefined }, issuer(), true],
    ['an address that no scope asks for', { sub: '1' }, issuer({ scopes: 'openid' }), false],
    ['the role', all, rules({ roleClaim: 'realm.roles' }), true],
    ['the groups', all, rules({ groupsClaim: 'groups' }), true],
    ['groups that are too many', { ...all, hasgroups: true }, rules({ groupsClaim: 'groups' }), false],
    ['the id of the directory', all, rules({ externalIdClaim: 'oid' }), true],
    ['the organization, which nobody reads', all, rules({ organizationClaim: 'faculty' }), false],
    ['the organization', all, { ...rules({ organizationClaim: 'faculty' }), forAll: true }, true],
    ['no role in an empty list', { ...all, roles: [] }, rules({ roleClaim: 'roles' }), false],
  ])('lack %s', (_, claims, of, expected) => expect(lacksClaims({ ...claims }, of)).toBe(expected));

  it('name every claim of the rules that is missing', () => {
    const of = rules({ roleClaim: 'a.b', groupsClaim: 'c', externalIdClaim: 'd' });
    expect(missingClaims({ a: { b: '' }, c: null }, of)).toEqual(['d']);
    expect(missingClaims({ a: 1 }, of)).toEqual(['a.b', 'c', 'd']);
  });

  it('are those of the signed token where userinfo says something else', () => {
    const token = { sub: '1', realm: { a: 1 }, list: [1] };
    const more = { sub: '2', realm: { a: 2, b: 3 }, list: [2, 3], name: 'A', ['__proto__']: { x: 1 } };
    const merged = mergedClaims(token, more);
    expect(merged).toMatchObject({ sub: '1', realm: { a: 1, b: 3 }, list: [1], name: 'A' });
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });
});
