import type { IncomingHttpHeaders } from 'node:http';
import { type Config, loadConfig } from '../../infrastructure/config';
import { endUserOfHeaders, endUserOfMetadata, namedBy } from './end-user';
import { PROXY_SECRET_HEADER, TrustedProxies } from './failed-credentials.service';

const refused = expect.objectContaining({ code: 'validation_failed' });

describe('whom the headers of a request name', () => {
  it('is the e-mail address before the id', () => {
    const headers = { 'x-openwebui-user-id': 'u-1', 'x-openwebui-user-email': ' ada@uni.test ' };
    expect(endUserOfHeaders(headers)).toEqual({
      source: 'x-openwebui-user-email',
      id: 'ada@uni.test',
      others: [{ source: 'x-openwebui-user-id', id: 'u-1' }],
    });
  });

  it.each(['', ' ', 'default', 'Default'])('is nobody by %j: the next one counts', (email) => {
    const headers = { 'x-openwebui-user-email': email, 'x-openwebui-user-id': 'u-1' };
    expect(endUserOfHeaders(headers)).toEqual({ source: 'x-openwebui-user-id', id: 'u-1' });
  });

  it.each(['ada', 'eve@uni.test, ada@uni.test', 'a@b@c', 'a b@c', `${'a'.repeat(260)}@b`, 'a@b\u0000'])(
    'is not guessed from %j',
    (email) => {
      const headers = { 'x-openwebui-user-email': email, 'x-openwebui-user-id': 'u-1' };
      expect(() => endUserOfHeaders(headers)).toThrow(refused);
    },
  );

  it('is nobody without them', () => expect(endUserOfHeaders({ from: 'ada@uni.test' })).toBeUndefined());
});

describe('whom the metadata of a request names', () => {
  it.each([
    [
      { user_id: '7', lti_user_id: '8', lis_person_sourcedid: 'S', email: 'a@b.c' },
      {
        source: 'metadata.user_id',
        id: '7',
        others: [
          { source: 'metadata.lti_user_id', id: '8' },
          { source: 'metadata.lis_person_sourcedid', id: 'S' },
          { source: 'metadata.email', id: 'a@b.c' },
        ],
      },
    ],
    [
      { user_id: 'default', lti_user_id: 8, lis_person_sourcedid: 'S' },
      {
        source: 'metadata.lti_user_id',
        id: '8',
        others: [{ source: 'metadata.lis_person_sourcedid', id: 'S' }],
      },
    ],
    [
      { user_id: null, lis_person_sourcedid: 'S', email: 'ada' },
      { source: 'metadata.lis_person_sourcedid', id: 'S' },
    ],
    [
      { lti_user_id: {}, email: 'a@b.c' },
      { source: 'metadata.email', id: 'a@b.c' },
    ],
  ])('of %j is %j, in the order of the specification', (metadata, endUser) => {
    expect(endUserOfMetadata(metadata)).toEqual(endUser);
  });

  it.each([undefined, null, 'user_id', [], {}, { user: 'ada' }])('of %j is nobody', (metadata) => {
    expect(endUserOfMetadata(metadata)).toBeUndefined();
  });

  it('is nobody with a name of more than 254 characters', () => {
    const longest = 'x'.repeat(254);
    expect(endUserOfMetadata({ user_id: longest })).toMatchObject({ id: longest });
    expect(() => endUserOfMetadata({ user_id: `${longest}x` })).toThrow(refused);
  });

  it.each([{ email: 'ada' }, { user_id: 'a\nb' }])('is refused in %j', (metadata) => {
    expect(() => endUserOfMetadata(metadata)).toThrow(refused);
  });
});

describe('what a request may say of its end user', () => {
  const headers = { 'x-openwebui-user-email': 'ada@uni.test' };
  const endUser = { source: 'x-openwebui-user-email', id: 'ada@uni.test' };

  it('is nothing without act_as and without a trusted proxy', () => {
    expect(namedBy(headers, { isProxied: false, scopes: ['chat', 'admin'] })).toEqual({});
  });

  it('is said in the headers alone behind a trusted proxy: the body is the end user’s', () => {
    const request = { isProxied: true, scopes: ['chat'] } as const;
    const second = { 'x-openwebui-user-id': 'S-100 of somebody else' };
    expect(namedBy({ ...headers, ...second }, request)).toEqual({ mayNameEndUser: 'in_headers', endUser });
    expect(namedBy({}, request)).toEqual({ mayNameEndUser: 'in_headers' });
  });

  it.each([true, false])('is said anywhere with act_as, behind a proxy: %s', (isProxied) => {
    const request = { isProxied, scopes: ['chat', 'act_as'] } as const;
    expect(namedBy(headers, request)).toEqual({ mayNameEndUser: 'anywhere', endUser });
    expect(namedBy({}, request)).toEqual({ mayNameEndUser: 'anywhere' });
  });
});

describe('trusted proxies', () => {
  const proxies = (env: Record<string, string>): TrustedProxies =>
    new TrustedProxies(loadConfig(env, null) satisfies Config);
  const listed = proxies({ TRUSTED_PROXY_CIDRS: '10.0.0.0/8,fd00::/8', TRUSTED_PROXY_SECRET: 's3cret' });
  const headers = { [PROXY_SECRET_HEADER]: 's3cret' };

  it.each(['10.1.2.3', '::ffff:10.1.2.3', 'fd00::1'])('are known by the address %s and the secret', (remoteAddress) => {
    expect(listed.sent({ headers, remoteAddress })).toBe(true);
  });

  it('are not every sender of a request', () => {
    expect(listed.sent({ headers: {}, remoteAddress: '10.1.2.3' })).toBe(false);
  });

  it.each<[string, IncomingHttpHeaders, string | null]>([
    ['another address', headers, '11.0.0.1'],
    ['no address', headers, null],
    ['an unreadable address', headers, 'proxy'],
    ['the wrong secret', { [PROXY_SECRET_HEADER]: 's3cre' }, '10.1.2.3'],
    ['two secrets', { [PROXY_SECRET_HEADER]: ['s3cret', 's3cret'] }, '10.1.2.3'],
  ])('are refused when they come with %s', (_, given, remoteAddress) => {
    expect(() => listed.sent({ headers: given, remoteAddress })).toThrow(
      expect.objectContaining({ code: 'forbidden' }),
    );
  });

  it('do not exist without configuration', () => {
    expect(() => proxies({}).sent({ headers, remoteAddress: '127.0.0.1' })).toThrow(
      expect.objectContaining({ code: 'forbidden' }),
    );
  });
});
