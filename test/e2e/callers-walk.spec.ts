import { startApp, type TestApp } from '../support/app';
import { keyOf, person, type Person } from '../support/people';

/** Every operation of the OpenAPI document that asks for a credential. */
interface Operation {
  readonly method: string;
  readonly path: string;
}

const ID = '01a20082-0000-7000-8000-000000000000';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

let app: TestApp;
let operations: readonly Operation[];
let token: string;
let scimUser: { id: string; userName: string };

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });
const scim = (method: string, path: string, body?: unknown) => app.api(method, `/scim/v2${path}`, body, bearer(token));
const addressOf = (path: string): string =>
  path
    .replace('{slug}', 'default')
    .replace(/\{[^}]+\}/g, (_parameter, at: number) => (path.startsWith('/api/v1/assistants/') && at < 25 ? '1' : ID));
const isScim = ({ path }: Operation): boolean => path.startsWith('/scim/');

/** `METHOD path status` of the operations whose answer is not one of those expected. */
async function others(
  headers: Record<string, string>,
  expected: readonly number[],
  among: (operation: Operation) => boolean = () => true,
): Promise<string[]> {
  const found: string[] = [];
  for (const operation of operations.filter(among)) {
    const { method, path } = operation;
    const body = method === 'get' || method === 'delete' ? undefined : {};
    const { status } = await app.api(method.toUpperCase(), addressOf(path), body, headers);
    if (!expected.includes(status)) found.push(`${method} ${path} ${status}`);
  }
  return found;
}

beforeAll(async () => {
  app = await startApp();
  const { paths } = (await app.api('GET', '/api/openapi.json')).json as {
    paths: Record<string, Record<string, { readonly security?: unknown }>>;
  };
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, { security }]) => METHODS.includes(method) && security !== undefined)
      .map(([method]) => ({ method, path })),
  );
  // Off without METRICS_TOKEN, and open to that token alone.
  operations = operations.filter(({ path }) => path !== '/metrics');
  const made = await app.api('POST', '/api/v1/organizations/default/scim/tokens', {
    name: 'Walk',
    link_existing: true,
  });
  token = made.json.token;
  scimUser = (await scim('POST', '/Users', { userName: 'walker@uni.example' })).json;
}, 60_000);
afterAll(() => app.stop());

describe('over the whole OpenAPI document', () => {
  it('a SCIM token opens nothing outside SCIM', async () => {
    expect(operations.filter(isScim).length).toBeGreaterThan(10);
    expect(await others(bearer(token), [401], (operation) => !isScim(operation))).toEqual([]);
  });

  it('no other credential opens SCIM, not even that of a system administrator', async () => {
    const teacher = await person(app);
    const session = await app.request().post('/api/v1/session').send({ api_key: app.adminKey });
    const cookie = String(session.headers['set-cookie']).split(';')[0] ?? '';
    for (const headers of [bearer(app.adminKey), bearer(teacher.key), { authorization: '', cookie }]) {
      expect(await others(headers, [401], isScim)).toEqual([]);
    }
  });

  it('an account that its directory deactivated opens nothing', async () => {
    const { key } = await keyOf(app, scimUser.userName, { scopes: ['chat', 'read', 'write'] });
    const off = { Operations: [{ op: 'replace', path: 'active', value: false }] };
    expect((await scim('PATCH', `/Users/${scimUser.id}`, off)).status).toBe(200);
    expect(await others(bearer(key), [401])).toEqual([]);
  });

  it('a member of a group changes nothing of the organization or its groups', async () => {
    const groups = '/api/v1/organizations/default/groups';
    const student: Person = await person(app, { role: 'member', scopes: ['chat', 'read', 'write'] });
    const { id } = (await app.api('POST', groups, { name: 'Walkers' })).json;
    await app.api('POST', `${groups}/${id}/members`, { members: [student.email] });
    const changes = ({ method, path }: Operation): boolean =>
      method !== 'get' && path.startsWith('/api/v1/organizations/{slug}');
    expect(await others(bearer(student.key), [403], changes)).toEqual([]);
    expect((await student.api('DELETE', `${groups}/${id}`)).status).toBe(403);
  });
});
