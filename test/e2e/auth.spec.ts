import { type ApiAnswer, startApp, type TestApp } from '../support/app';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
const ROUTES: readonly (readonly [method: Method, path: string, scope: string, or?: string])[] = [
  ['GET', '/api/v1/me', 'read', 'chat'],
  ['GET', '/api/v1/api-keys', 'read'],
  ['POST', '/api/v1/api-keys', 'write'],
  ['DELETE', '/api/v1/api-keys/0197f3c8-0000-7000-8000-000000000000', 'write'],
  ['GET', '/api/v1/organizations', 'read'],
  ['POST', '/api/v1/organizations', 'admin'],
  ['GET', '/api/v1/organizations/default', 'read'],
  ['PATCH', '/api/v1/organizations/default', 'admin'],
  ['GET', '/api/v1/organizations/default/audit', 'admin'],
  ['GET', '/api/v1/organizations/default/providers', 'admin'],
  ['GET', '/api/v1/organizations/default/members', 'admin'],
  ['POST', '/api/v1/organizations/default/members', 'admin'],
  ['PATCH', '/api/v1/organizations/default/members/nobody@example.edu', 'admin'],
  ['DELETE', '/api/v1/organizations/default/members/nobody@example.edu', 'admin'],
];

const CARRIERS: Readonly<Record<string, (key: string) => Record<string, string>>> = {
  'Authorization: Bearer': (key) => ({ authorization: `Bearer ${key}` }),
  'x-api-key': (key) => ({ 'x-api-key': key }),
};

const call = (method: Method, path: string, headers: Record<string, string>): Promise<ApiAnswer> =>
  app.api(method, path, method === 'GET' || method === 'DELETE' ? undefined : {}, headers);

async function newKey(input: object): Promise<string> {
  const answer = await app.api('POST', '/api/v1/api-keys', { name: 'test', ...input });
  expect(answer.status).toBe(201);
  return answer.json.key;
}

describe('a request without a valid credential', () => {
  it.each(ROUTES)('%s %s answers 401 as a problem', async (method, path) => {
    const response = await fetch(app.url + path, { method });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(await response.json()).toMatchObject({ code: 'unauthenticated', status: 401 });
  });

  const bad: [string, Record<string, string>][] = [
    ['SQL', { authorization: "Bearer ' OR '1'='1" }],
    ['SQL behind the prefix', { 'x-api-key': "bw_' OR '1'='1" }],
    ['an unknown key', { authorization: `Bearer bw_live_AAAAAAAAAAAA_${'A'.repeat(43)}` }],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['a JWT', { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.' }],
    ['an empty key', { 'x-api-key': '' }],
    ['a key of 8,000 characters', { authorization: `Bearer bw_${'x'.repeat(8_000)}` }],
  ];
  it.each(bad)('is one with %s', async (_, headers) => {
    const answer = await app.api('GET', '/api/v1/me', undefined, { authorization: '', ...headers });
    expect([answer.status, answer.json.code]).toEqual([401, 'unauthenticated']);
  });

  it('is one whose headers are longer than any server reads', async () => {
    const answer = await app.api('GET', '/api/v1/me', undefined, { authorization: `Bearer ${'x'.repeat(1_000_000)}` });
    expect(answer.status).toBe(431);
  });

  it('is one with two different keys, though both are good', async () => {
    const other = await newKey({ scopes: ['read'] });
    const both = { authorization: `Bearer ${app.adminKey}`, 'x-api-key': other };
    expect((await app.api('GET', '/api/v1/me', undefined, both)).status).toBe(401);
    const same = { authorization: `Bearer ${other}`, 'x-api-key': other };
    expect((await app.api('GET', '/api/v1/me', undefined, same)).status).toBe(200);
  });

  it('says nothing about the key in answer or log', async () => {
    const secret = `bw_live_BBBBBBBBBBBB_${'Z'.repeat(43)}`;
    const answer = await app.api('GET', '/api/v1/me', undefined, { 'x-api-key': secret });
    expect(answer.text + app.log()).not.toContain('Z'.repeat(43));
  });
});

describe.each(Object.entries(CARRIERS))('a key carried by %s', (_, carry) => {
  it.each(['chat', 'read', 'write', 'admin'])(
    'with the scope %s opens the routes of that scope and no others',
    async (scope) => {
      const headers = carry(await newKey({ scopes: [scope] }));
      for (const [method, path, needed, or] of ROUTES) {
        const { status } = await call(method, path, headers);
        if (needed === scope || or === scope) expect(`${method} ${path} ${status}`).not.toMatch(/ (401|403)$/);
        else expect(`${method} ${path} ${status}`).toBe(`${method} ${path} 403`);
      }
    },
  );
});

describe('a member', () => {
  it.each(['teacher', 'member'])(
    'with the role %s reaches no route of administrators, whatever the scopes',
    async (role) => {
      const email = `${role}@example.edu`;
      const added = await app.api('POST', '/api/v1/organizations/default/members', { email, name: role, role });
      expect(added.status).toBe(201);
      const headers = { authorization: `Bearer ${await newKey({ scopes: ['chat', 'read', 'write'], owner: email })}` };
      for (const [method, path, needed] of ROUTES) {
        if (needed === 'admin') expect((await call(method, path, headers)).status).toBe(403);
      }
      const me = await app.api('GET', '/api/v1/me', undefined, headers);
      expect(me.json).toMatchObject({ user: { email }, role, system_admin: false, organization: { slug: 'default' } });
    },
  );

  it('who is disabled is out at once, with every key, and in again when enabled', async () => {
    const members = '/api/v1/organizations/default/members';
    await app.api('POST', members, { email: 'out@example.edu', name: 'Out', role: 'teacher' });
    const headers = { 'x-api-key': await newKey({ scopes: ['read'], owner: 'out@example.edu' }) };
    expect((await app.api('GET', '/api/v1/me', undefined, headers)).status).toBe(200);
    await app.api('PATCH', `${members}/out@example.edu`, { disabled: true });
    expect((await app.api('GET', '/api/v1/me', undefined, headers)).status).toBe(401);
    await app.api('PATCH', `${members}/out@example.edu`, { disabled: false });
    expect((await app.api('GET', '/api/v1/me', undefined, headers)).status).toBe(200);
    await app.api('DELETE', `${members}/out@example.edu`);
    expect((await app.api('GET', '/api/v1/me', undefined, headers)).status).toBe(401);
  });
});

describe('a path that no route serves', () => {
  it('answers 404 without saying more', async () => {
    expect((await app.api('GET', '/api/v1/nothing')).status).toBe(404);
  });
});
