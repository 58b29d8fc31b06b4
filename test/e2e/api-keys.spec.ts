import document from '../../docs/reference/openapi.json';
import { startApp, type TestApp } from '../support/app';
import { BrowserSession } from '../support/browser-session';
import { makeAssistant } from '../support/chat';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const KEYS = '/api/v1/api-keys';

describe('API keys', () => {
  it('are shown once, listed without their secret, and dead after revocation', async () => {
    const made = await app.api('POST', KEYS, { name: ' Open WebUI ', scopes: ['chat', 'read'] });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      name: 'Open WebUI',
      scopes: ['chat', 'read'],
      assistant_ids: null,
      expires_at: null,
    });
    expect(made.json.key).toMatch(/^bw_live_[A-Za-z0-9]{12}_[A-Za-z0-9_-]{43}$/);

    const listed = await app.api('GET', KEYS);
    const item = listed.json.items.find(({ id }: { id: string }) => id === made.json.id);
    expect(item).toMatchObject({ prefix: made.json.key.slice(0, 20) });
    expect(listed.text).not.toContain(made.json.key);
    expect(item).not.toHaveProperty('key');
    expect(listed.text).not.toContain('hash');

    const headers = { authorization: `Bearer ${made.json.key}` };
    expect((await app.api('GET', '/api/v1/me', undefined, headers)).status).toBe(200);
    expect((await app.api('DELETE', `${KEYS}/${made.json.id}`)).status).toBe(204);
    expect((await app.api('GET', '/api/v1/me', undefined, headers)).status).toBe(401);
    expect((await app.api('DELETE', `${KEYS}/${made.json.id}`)).status).toBe(404);
  });

  it('are made once for one Idempotency-Key, and shown again with it', async () => {
    const before = (await app.api('GET', KEYS)).json.total;
    const body = { name: 'twice', scopes: ['chat'] };
    const headers = { 'idempotency-key': 'make-a-key' };
    const [one, two] = [await app.api('POST', KEYS, body, headers), await app.api('POST', KEYS, body, headers)];
    expect(two.json).toEqual(one.json);
    expect([one.headers.get('idempotent-replayed'), two.headers.get('idempotent-replayed')]).toEqual([null, 'true']);
    expect((await app.api('GET', KEYS)).json.total).toBe(before + 1);
  });

  it('list every problem of a bad request', async () => {
    const body = { name: '', scopes: ['chat', 'root'], assistant_ids: [0, 'x'], expires_at: 'soon', id: 'x' };
    const answer = await app.api('POST', KEYS, body);
    expect(answer.status).toBe(400);
    const paths = new Set(answer.json.errors.map(({ path }: { path: string }) => path));
    expect([...paths].sort()).toEqual(['assistant_ids', 'expires_at', 'id', 'name', 'scopes']);
  });

  it.each([
    'id',
    'user_id',
    'owner_id',
    'organization_id',
    'hash',
    'public_id',
    'key',
    'created_at',
    'last_used_at',
    'revoked_at',
    'role',
  ])('refuse %s in the body', async (name) => {
    const answer = await app.api('POST', KEYS, { name: 'x', scopes: ['chat'], [name]: 'x' });
    expect([answer.status, answer.json.errors.map(({ path }: { path: string }) => path)]).toEqual([400, [name]]);
  });

  it('are never wider than the key that makes them', async () => {
    const { json } = await app.api('POST', KEYS, { name: 'narrow', scopes: ['write', 'chat'], assistant_ids: [7] });
    const headers = { authorization: `Bearer ${json.key}` };
    const wider = await app.api('POST', KEYS, { name: 'wide', scopes: ['admin', 'read'], assistant_ids: [8] }, headers);
    expect(wider.status).toBe(400);
    expect(wider.json.errors).toHaveLength(3);
    const same = await app.api('POST', KEYS, { name: 'same', scopes: ['chat'], assistant_ids: [7] }, headers);
    expect(same.status).toBe(201);
  });

  it('reach published assistants only where they are made so, also in a session', async () => {
    const [draft, published] = [
      await makeAssistant(app, { name: 'Draft' }),
      await makeAssistant(app, { name: 'Live' }),
    ];
    await app.api('PUT', `/api/v1/assistants/${published}/publication`);
    const limits = { published_only: true };
    const refused = await app.api('POST', KEYS, { name: 'x', scopes: ['chat', 'write'], ...limits });
    expect([refused.status, refused.json.errors.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      ['published_only'],
    ]);
    const made = await app.api('POST', KEYS, { name: 'Open WebUI', scopes: ['chat', 'read'], ...limits });
    expect(made.json.published_only).toBe(true);
    const headers = { authorization: `Bearer ${made.json.key}` };
    const browser = new BrowserSession(app);
    await browser.signIn(made.json.key);
    for (const get of [
      (path: string) => app.api('GET', path, undefined, headers),
      (path: string) => browser.send('GET', path),
    ]) {
      expect((await get('/v1/models')).json.data.map(({ name }: { name: string }) => name)).toEqual(['Live']);
      expect((await get('/api/v1/assistants')).json).toMatchObject({ total: 1, items: [{ id: published }] });
      expect((await get(`/api/v1/assistants/${draft}`)).status).toBe(404);
      expect((await get(`/v1/models/lamb_assistant.${draft}`)).status).toBe(404);
      // Its owner asks by this key as everybody else: the prompt stays hidden.
      expect((await get(`/api/v1/assistants/${published}`)).json.access).toBe('use');
    }
  });

  describe('that are restricted', () => {
    const ACTIVITY = '/api/v1/lti/activities/01a21f5f-c5d5-7000-8000-000000000001';
    const LISTS = ['/api/v1/conversations', '/api/v1/replays'];
    let draft: number;
    let live: number;
    const runs: Record<string, string> = {};
    let conversation: string;

    const as = (key: string) => {
      const headers = { authorization: `Bearer ${key}` };
      return (method: string, path: string, body?: unknown) => app.api(method, path, body, headers);
    };
    const restricted = async (limits: object): Promise<ReturnType<typeof as>> =>
      as((await app.api('POST', KEYS, { name: 'restricted', ...limits })).json.key);

    beforeAll(async () => {
      const metadata = { connector: 'bypass', llm: 'debug-bypass' };
      draft = await makeAssistant(app, { name: 'Draft of the owner', metadata });
      live = await makeAssistant(app, { name: 'Live for all', metadata });
      await app.api('PUT', `/api/v1/assistants/${live}/publication`);
      const question = { messages: [{ role: 'user', content: 'Private question' }] };
      for (const [name, id] of Object.entries({ draft, live })) {
        runs[name] = (await app.api('POST', `/api/v1/assistants/${id}/completions`, question)).json.run_id;
      }
      conversation = (await app.api('POST', '/api/v1/conversations', { assistant_id: draft })).json.id;
    });

    it.each([
      ['published ones', () => ({ scopes: ['chat', 'read'], published_only: true })],
      ['one of them', () => ({ scopes: ['chat', 'read', 'write'], assistant_ids: [live] })],
    ])('to %s open what belongs to those, and nothing about the person', async (_name, limits) => {
      const call = await restricted(limits());
      for (const path of ['', '/events', '/receipt', '/passages', '/report']) {
        expect([path, (await call('GET', `/api/v1/runs/${runs['draft']}${path}`)).status]).toEqual([path, 404]);
        const reached = (await call('GET', `/api/v1/runs/${runs['live']}${path}`)).status;
        expect([path, reached < 300]).toEqual([path, true]);
      }
      expect((await call('POST', `/api/v1/runs/${runs['draft']}/cancel`)).status).toBe(404);
      const { items } = (await call('GET', '/api/v1/runs?limit=100')).json;
      expect(items.map(({ assistant }: { assistant: { id: number } }) => assistant.id)).toEqual([live]);
      for (const [method, path, body] of [
        ...LISTS.map((path) => ['GET', path] as const),
        ['GET', `/api/v1/conversations/${conversation}`],
        ['GET', `/api/v1/conversations/${conversation}/export`],
        ['DELETE', `/api/v1/conversations/${conversation}`],
        ['POST', '/api/v1/conversations', { assistant_id: live }],
        ['PUT', `/api/v1/runs/${runs['live']}/rating`, { value: 'up' }],
        ['POST', '/api/v1/me/data-export'],
        ['GET', ACTIVITY],
        ['PUT', `${ACTIVITY}/agreement`, { agree_to: 'named' }],
        ['DELETE', `${ACTIVITY}/agreement`],
        ['GET', '/api/v1/lti/deep-linking/1'],
        ['GET', '/api/v1/sessions'],
        ['GET', KEYS],
      ] as const) {
        const { status, json } = await call(method, path, body);
        expect([method, path, status, json?.reason]).toEqual([method, path, 403, 'key.restricted']);
      }
      expect((await app.api('GET', `/api/v1/conversations/${conversation}`)).status).toBe(200);
    });

    it.each([
      ['published ones', () => ({ scopes: ['chat', 'read'], published_only: true })],
      ['one of them', () => ({ scopes: ['chat', 'read', 'write'], assistant_ids: [live] })],
    ])('to %s open no material and no groups of their owner', async (_name, limits) => {
      const call = await restricted(limits());
      const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
      );
      const closed = /^\/api\/v1\/(files|knowledge-bases|prompt-templates|rubrics|organizations\/\{slug\}\/groups)\b/;
      const found = operations.filter(([, path]) => closed.test(path));
      expect(found.length).toBeGreaterThan(45);
      for (const [method, path] of found) {
        const { status, json } = await call(method, path.replace('{slug}', 'default').replaceAll(/\{\w+\}/g, '1'));
        const reason = expect.stringMatching(
          method === 'GET' ? /^key\.restricted$/ : /^(key\.restricted|scope\.needed)$/,
        );
        expect([method, path, status, json?.reason]).toEqual([method, path, 403, reason]);
      }
    });

    it('administer nothing, and end neither sessions nor keys of their owner', async () => {
      const call = await restricted({ scopes: ['chat', 'read', 'write', 'admin'], assistant_ids: [live] });
      const other = (await app.api('POST', KEYS, { name: 'other', scopes: ['chat'] })).json;
      const members = '/api/v1/organizations/default/members';
      const { user_id: id } = (await app.api('GET', '/api/v1/me')).json;
      for (const [method, path] of [
        ['POST', `${members}/${id}/data-export`],
        ['POST', '/api/v1/organizations/default/data-export'],
        ['GET', '/api/v1/organizations/default/audit'],
        ['GET', members],
        ['DELETE', '/api/v1/sessions'],
        ['DELETE', `${KEYS}/${other.id}`],
      ] as const) {
        const { status, json } = await call(method, path);
        expect([path, status, json?.reason]).toEqual([path, 403, 'key.restricted']);
      }
    });
  });

  it('are listed page by page', async () => {
    for (let n = 0; n < 3; n += 1) await app.api('POST', KEYS, { name: `page ${n}`, scopes: ['chat'] });
    const first = await app.api('GET', `${KEYS}?limit=2`);
    const second = await app.api('GET', `${KEYS}?limit=2&cursor=${first.json.next_cursor}`);
    const ids = [...first.json.items, ...second.json.items].map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(4);
    expect((await app.api('GET', `${KEYS}?cursor=x`)).status).toBe(400);
    expect((await app.api('GET', `${KEYS}?limit=0`)).status).toBe(400);
  });
});
