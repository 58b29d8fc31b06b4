import supertest from 'supertest';
import { SessionsService } from '../../src/auth/sign-in/sessions.service';
import {
  bodyOf,
  furnish,
  type Furnished,
  type Objects,
  type OpenApi,
  type Operation,
  operationsOf,
} from '../support/access-world';
import { filesForm, startApp, type TestApp } from '../support/app';
import { BrowserSession } from '../support/browser-session';
import { user } from '../support/chat';
import { foreignOrganization, keyOf, person, type Person } from '../support/people';
import { startUpstream, type Upstream } from '../support/upstream';
import { until } from '../support/until';
import { unzipped } from '../support/unzipped';

const JSON_TYPE = 'application/json';
const SCIM_JSON = 'application/scim+json';
const ID = '01a20082-0000-7000-8000-000000000000';

let app: TestApp;
let upstream: Upstream;
let document: OpenApi;
let every: readonly Operation[];
/** Operations that need a credential. */
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
    const body = method === 'GET' || method === 'DELETE' ? undefined : {};
    const { status } = await app.api(method, addressOf(path), body, headers);
    if (!expected.includes(status)) found.push(`${method} ${path} ${status}`);
  }
  return found;
}

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.always({ content: 'An answer.' });
  app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-test' } });
  document = (await app.api('GET', '/api/openapi.json')).json as OpenApi;
  // Probes, which are not for people; metrics are off without METRICS_TOKEN.
  every = operationsOf(document).filter(({ path }) => path !== '/metrics' && !path.startsWith('/health/'));
  operations = every.filter(({ isClosed }) => isClosed);
  const made = await app.api('POST', '/api/v1/organizations/default/scim/tokens', {
    name: 'Walk',
    link_existing: true,
  });
  token = made.json.token;
  scimUser = (await scim('POST', '/Users', { userName: 'walker@uni.example' })).json;
}, 240_000);
afterAll(async () => {
  await app.stop();
  await upstream.stop();
});

describe('over the whole OpenAPI document', () => {
  it('a SCIM token opens nothing outside SCIM', async () => {
    expect(operations.filter(isScim).length).toBeGreaterThan(10);
    expect(await others(bearer(token), [401], (operation) => !isScim(operation))).toEqual([]);
  });

  it('no other credential opens SCIM, not even that of a system administrator', async () => {
    const teacher = await person(app);
    const session = await supertest(app.url).post('/api/v1/session').send({ api_key: app.adminKey });
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
      method !== 'GET' && path.startsWith('/api/v1/organizations/{slug}');
    expect(await others(bearer(student.key), [403], changes)).toEqual([]);
    expect((await student.api('DELETE', `${groups}/${id}`)).status).toBe(403);
  });
});

interface Caller {
  readonly name: string;
  readonly headers: Record<string, string>;
  /** Texts of the own organization that it may read. */
  readonly may?: readonly string[];
  /** True for callers with write rights: only reading operations are tried on their own organization. */
  readonly mayChange?: true;
}

/**
 * A parameter names an object of an organization, beyond the organization itself and what the service brings along. The
 * code of a join link opens by itself what it leads to.
 */
const isOfObject = ({ path }: Operation): boolean =>
  !/ResourceTypes|Schemas|\/join\//.test(path) && /\{/.test(path.replaceAll(/\{(slug|name|part)\}/g, ''));
/** These end the caller's own credential, so they come last. */
const endsItself = ({ method, path }: Operation): boolean => method !== 'GET' && /\/sessions?$/.test(path);

describe('every operation by every kind of caller', () => {
  const SIDE_BY_SIDE = 8;
  let own: Furnished;
  let foreign: Furnished;
  let student: Person;
  let callers: Record<string, Caller>;

  const secretsOf = ({ canaries: { settings, live, passage, words } }: Furnished): string[] => [
    ...settings,
    live,
    passage,
    words,
  ];

  async function textOf(response: Response): Promise<string> {
    if (!/zip/.test(response.headers.get('content-type') ?? '')) return response.text();
    const entries = await unzipped(Buffer.from(await response.arrayBuffer()));
    return [...entries].flat().join('\n');
  }

  async function send({ headers }: Caller, operation: Operation, objects: Objects) {
    const { method, body } = operation;
    const address = objects.address(operation);
    const isForm = body === 'form';
    const payload = body === null ? undefined : isForm ? filesForm(['a.md', 'a']) : bodyOf(body, document, objects);
    const response = await fetch(app.url + address, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
      headers: {
        'if-match': '*',
        ...headers,
        ...(payload === undefined || isForm
          ? {}
          : { 'content-type': address.startsWith('/scim') ? SCIM_JSON : JSON_TYPE }),
      },
      ...(payload === undefined ? {} : { body: payload instanceof FormData ? payload : JSON.stringify(payload) }),
    });
    return { status: response.status, address, text: await textOf(response) };
  }

  /** Calls every operation; returns one line for each answer that is wrong or leaks a secret. */
  async function walk(
    caller: Caller,
    objects: Objects,
    among: readonly Operation[],
    wrong: (operation: Operation, status: number) => boolean,
    secrets: readonly string[],
  ): Promise<string[]> {
    const found: string[] = [];
    const one = async (operation: Operation): Promise<void> => {
      let answer = await send(caller, operation, objects);
      // A busy machine refuses work for a moment.
      for (let tries = 0; answer.status === 503 && tries < 5; tries += 1)
        answer = await send(caller, operation, objects);
      const { status, address, text } = answer;
      const told = secrets.filter((secret) => text.includes(secret) && !address.includes(secret));
      const isWrong = status >= 500 || wrong(operation, status);
      if (isWrong || told.length > 0)
        found.push(`${caller.name}: ${operation.method} ${operation.path} ${status} ${told.join(' ')}`);
    };
    const waiting = among.filter((operation) => !endsItself(operation));
    await Promise.all(
      Array.from({ length: SIDE_BY_SIDE }, async () => {
        for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await one(next);
      }),
    );
    for (const operation of among.filter(endsItself)) await one(operation);
    return found;
  }

  async function asked(who: Person, assistant: number): Promise<Record<string, string>> {
    const ask = { messages: [user('What is osmosis?')] };
    const conversation = (await who.api('POST', '/api/v1/conversations', { assistant_id: assistant })).json.id;
    await who.api('POST', `/api/v1/conversations/${conversation}/messages`, { content: 'What is osmosis?' });
    const { status, json } = await who.api('POST', `/api/v1/assistants/${assistant}/completions`, ask);
    expect(status).toBe(200);
    await until(
      async () =>
        (await who.api('GET', `/api/v1/conversations/${conversation}`)).json.messages[1].status === 'completed',
    );
    return { runs: json.run_id, conversations: conversation };
  }

  beforeAll(async () => {
    const slug = await foreignOrganization(app);
    await app.api('PATCH', '/api/v1/organizations/default', { features: { assistants_import: true } });
    const openai = { enabled: true, base_url: upstream.url, api_key: 'sk-foreign', models: ['gpt-4o-mini'] };
    const wish = { features: { assistants_export: true }, providers: { openai } };
    await app.api('PATCH', `/api/v1/organizations/${slug}`, wish);
    own = await furnish(app, 'default', 'COLLEAGUE');
    foreign = await furnish(app, slug, 'FOREIGN');
    await app.api('PUT', `/api/v1/assistants/${foreign.live}/publication/everywhere`);
    student = await person(app, { role: 'member' });
    const everything = ['chat', 'read', 'write', 'admin'];
    const { settings, live, passage, words } = own.canaries;
    const keyed = async (name: string, options: Parameters<typeof person>[1], more: Partial<Caller> = {}) => ({
      name,
      headers: bearer((await person(app, options)).key),
      ...more,
    });
    const limited = async (name: string, limits: object, more: Partial<Caller>): Promise<Caller> => {
      const wish = { name, owner: own.objects.author.email, ...limits };
      return { name, headers: bearer((await app.api('POST', '/api/v1/api-keys', wish)).json.key), ...more };
    };
    const browser = new BrowserSession(app);
    await browser.signIn(student.key);
    const me = (await student.api('GET', '/api/v1/me')).json;
    const launched = await app.get(SessionsService).open(
      {
        organizationId: me.organization.id,
        userId: student.userId,
        apiKeyId: null,
        role: 'member',
        scopes: ['chat'],
        assistantIds: [own.live],
        activityIds: [own.objects.of('activities')],
      },
      { replaces: null, requestId: null, ip: null },
    );
    const page = { 'sec-fetch-site': 'same-origin' };
    callers = {
      anonymous: { name: 'anonymous', headers: {} },
      forged: { name: 'a forged key', headers: bearer(`bw_${'0'.repeat(48)}`) },
      owner: await keyed(
        'an owner',
        { role: 'owner', scopes: everything },
        { may: [...settings, live, words], mayChange: true },
      ),
      admin: await keyed(
        'an administrator',
        { role: 'admin', scopes: everything },
        { may: [...settings, live, words], mayChange: true },
      ),
      teacher: await keyed('a teacher', {}),
      member: await keyed('a member', { role: 'member' }),
      student: { name: 'a student', headers: bearer(student.key) },
      session: { name: 'a session', headers: { ...page, cookie: browser.cookie } },
      launch: { name: 'a launch', headers: { ...page, cookie: `${browser.cookie.split('=')[0]}=${launched.token}` } },
      gateway: await keyed('a key that speaks for others', { scopes: ['chat', 'read', 'act_as'] }),
      reading: await keyed('a key that reads', { scopes: ['read'] }),
      chatting: await keyed('a key that chats', { scopes: ['chat'] }),
      published: await limited(
        'a key for published ones',
        { scopes: ['chat', 'read'], published_only: true },
        { may: [passage] },
      ),
      bound: await limited(
        'a key for one assistant',
        { scopes: ['chat', 'read', 'write'], assistant_ids: [own.live] },
        { may: [passage, live], mayChange: true },
      ),
      directory: { name: 'a directory', headers: bearer(own.directory), mayChange: true },
    };
  }, 240_000);

  const of = (...names: readonly string[]): Caller[] => names.map((name) => callers[name] as Caller);

  it('opens and tells nothing of another organization', async () => {
    const secrets = [...secretsOf(foreign), ...foreign.objects.secretIds, foreign.objects.author.email];
    const found: string[] = [];
    for (const caller of of('owner', 'admin', 'teacher', 'member', 'gateway', 'chatting', 'published')) {
      const wrong = (operation: Operation, status: number) => isOfObject(operation) && status < 400;
      found.push(...(await walk(caller, foreign.objects, every, wrong, secrets)));
    }
    const scims = every.filter(isScim);
    const [directory] = of('directory');
    found.push(
      ...(await walk(directory!, foreign.objects, scims, (each, status) => isOfObject(each) && status < 400, secrets)),
    );
    expect(found).toEqual([]);
  }, 240_000);

  it('tells askers of their own answers nothing that belongs to the assistant', async () => {
    const found: string[] = [];
    const readings = every.filter(({ isReading, path }) => isReading && !/\/organizations/.test(path));
    for (const { live, objects } of [own, foreign]) {
      const secrets = [...secretsOf(own), ...secretsOf(foreign)];
      const mine = objects
        .with(await asked(student, live))
        .with({ assistants: String(live), models: `lamb_assistant.${live}` });
      for (const caller of of('student', 'session', 'launch')) {
        found.push(...(await walk(caller, mine, readings, () => false, secrets)));
      }
    }
    expect(found).toEqual([]);
  }, 240_000);

  it('changes and tells nothing that is private to a colleague', async () => {
    const found: string[] = [];
    for (const caller of Object.values(callers)) {
      const among = every.filter((each) => /\{/.test(each.path) && (caller.mayChange !== true || each.isReading));
      const secrets = secretsOf(own).filter((secret) => !(caller.may ?? []).includes(secret));
      const isWrong = (each: Operation, status: number) => isOfObject(each) && !each.isReading && status < 400;
      // Owners hold everything of their organization in its archive.
      const walked = caller.name === 'an owner' ? among.filter(({ path }) => !/data-export$/.test(path)) : among;
      const last = caller.name === 'an owner' || caller.name === 'an administrator';
      found.push(...(await walk(caller, own.objects, walked, last ? () => false : isWrong, secrets)));
    }
    expect(found).toEqual([]);
  }, 240_000);

  it('is refused to callers without a credential, wherever the document asks for one', async () => {
    const secrets = [...secretsOf(own), ...secretsOf(foreign)];
    // The service stops answering an address that guesses keys.
    const isOpen = (each: Operation, status: number) => each.isClosed && status !== 401 && status !== 429;
    const found: string[] = [];
    for (const caller of of('anonymous', 'forged')) {
      found.push(...(await walk(caller, own.objects, every, isOpen, secrets)));
    }
    expect(found).toEqual([]);
  }, 240_000);
});
