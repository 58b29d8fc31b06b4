import { startApp, type TestApp } from '../support/app';

const CANARY = 'sk-CANARY-0123456789abcdef';
const ORGANIZATIONS = '/api/v1/organizations';

let app: TestApp;
let physics: { authorization: string };
beforeAll(async () => {
  app = await startApp({
    env: {
      OPENAI_API_KEY: 'sk-operator-CANARY',
      MOODLE_API_URL: 'https://moodle.example',
      MOODLE_TOKEN: 'token-operator-CANARY',
    },
  });
  const owner = { email: 'owner@physics.example', name: 'Owner' };
  await app.api('POST', ORGANIZATIONS, { slug: 'physics', name: 'Physics', owner });
  const key = await app.api('POST', '/api/v1/api-keys', {
    name: 'first',
    scopes: ['chat', 'read', 'write', 'admin'],
    organization: 'physics',
    owner: owner.email,
  });
  physics = { authorization: `Bearer ${key.json.key}` };
});
afterAll(() => app.stop());

const asPhysics = (method: string, path: string, body?: unknown) => app.api(method, path, body, physics);

describe('organizations', () => {
  it('are made by system administrators only', async () => {
    const body = { slug: 'chemistry', name: 'Chemistry' };
    expect((await asPhysics('POST', ORGANIZATIONS, body)).status).toBe(403);
    const made = await app.api('POST', ORGANIZATIONS, body);
    expect([made.status, made.json.slug, made.json.is_system]).toEqual([201, 'chemistry', false]);
    const twin = await app.api('POST', ORGANIZATIONS, body);
    expect([twin.status, twin.json.code]).toEqual([409, 'conflict']);
  });

  it.each([
    [{ slug: 'Bad Slug', name: 'x' }, 'slug'],
    [{ slug: '-x', name: 'x' }, 'slug'],
    [{ slug: 'ok', name: '  ' }, 'name'],
    [{ slug: 'ok', name: 'x', id: '1' }, 'id'],
    [{ slug: 'ok', name: 'x', is_system: true }, 'is_system'],
    [{ slug: 'ok', name: 'x', owner: { email: 'nobody', name: 'x' } }, 'owner.email'],
    [{ slug: 'ok', name: 'x', owner: { email: 'a@b.example', name: 'x', system_admin: true } }, 'owner.system_admin'],
  ])('refuse %j', async (body, path) => {
    const answer = await app.api('POST', ORGANIZATIONS, body);
    expect(answer.status).toBe(400);
    expect(answer.json.errors.map((problem: { path: string }) => problem.path)).toContain(path);
  });

  it('of others are neither listed nor told from missing ones', async () => {
    const list = await asPhysics('GET', ORGANIZATIONS);
    expect(list.json.items.map(({ slug }: { slug: string }) => slug)).toEqual(['physics']);
    expect((await app.api('GET', ORGANIZATIONS)).json.total).toBeGreaterThan(1);
    const calls: [string, string, unknown?][] = [
      ['GET', ''],
      ['PATCH', '', { name: 'Taken' }],
      ['GET', '/providers'],
      ['GET', '/members'],
      ['POST', '/members', { email: 'a@b.example', name: 'A', role: 'owner' }],
      ['PATCH', '/members/admin@localhost', { role: 'member' }],
      ['DELETE', '/members/admin@localhost'],
      ['GET', '/audit'],
    ];
    for (const [method, rest, body] of calls) {
      const [foreign, missing] = [
        await asPhysics(method, `${ORGANIZATIONS}/default${rest}`, body),
        await asPhysics(method, `${ORGANIZATIONS}/missing${rest}`, body),
      ];
      const plain = ({ json }: { json: object }): object => ({ ...json, request_id: '' });
      expect(foreign.status).toBe(404);
      expect(plain(foreign)).toEqual(plain(missing));
    }
  });
});

describe('settings', () => {
  const path = `${ORGANIZATIONS}/physics`;

  it('merge part by part, and each part is readable alone', async () => {
    await asPhysics('PATCH', path, {
      providers: { openai: { models: ['gpt-4o', 'gpt-4o-mini'], default_model: 'gpt-4o' } },
    });
    await asPhysics('PATCH', path, {
      providers: { openai: { small_fast_model: 'gpt-4o-mini' } },
      features: { sharing: false },
    });
    const patched = await asPhysics('PATCH', path, { limits: { rules: [] }, models: ['gpt-4o'] });
    expect(patched.status).toBe(200);
    expect(patched.json).toMatchObject({
      slug: 'physics',
      providers: { openai: { models: ['gpt-4o', 'gpt-4o-mini'], default_model: 'gpt-4o', fast_model: 'gpt-4o-mini' } },
      features: { sharing: false, publishing: true },
      limits: { rules: [] },
      models: ['gpt-4o'],
    });
    for (const part of [
      'providers',
      'models',
      'default_model',
      'knowledge_base',
      'moodle',
      'mcp',
      'features',
      'limits',
      'privacy',
    ]) {
      const answer = await asPhysics('GET', `${path}/${part}`);
      expect([answer.status, answer.json]).toEqual([200, patched.json[part]]);
    }
    expect((await asPhysics('GET', `${path}/settings`)).status).toBe(404);
    expect((await asPhysics('GET', `${path}/constructor`)).status).toBe(404);
  });

  it('take secrets and never give them back: not in answers, not in the audit, not in the log', async () => {
    const body = {
      providers: { openai: { api_key: CANARY, base_url: 'http://127.0.0.1:9/v1' } },
      knowledge_base: { server_url: 'http://127.0.0.1:9', api_token: CANARY },
      moodle: { api_url: 'http://127.0.0.1:9', token: CANARY },
      mcp: { servers: { library: { url: 'http://127.0.0.1:9/mcp', token: CANARY } } },
    };
    const answers = [
      await asPhysics('PATCH', path, body),
      await asPhysics('GET', path),
      await asPhysics('GET', `${path}/providers`),
      await asPhysics('GET', `${path}/audit`),
      await app.api('GET', path),
      await asPhysics('PATCH', path, { providers: { openai: { api_key: `${CANARY} `, nonsense: CANARY } } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 400]);
    expect(answers[0]?.json).toMatchObject({
      providers: { openai: { api_key_configured: true } },
      knowledge_base: { server_url: 'http://127.0.0.1:9', api_token_configured: true },
      moodle: { token_configured: true },
      mcp: { servers: { library: { url: 'http://127.0.0.1:9/mcp', enabled: false, token_configured: true } } },
    });
    expect(answers.map(({ text }) => text).join() + app.log()).not.toMatch(/CANARY|v1:/);
  });

  it('tell of models that are named and not offered', async () => {
    const told = async (body: object) => {
      const answer = await asPhysics('PATCH', path, body);
      expect(answer.status).toBe(200);
      return answer.json.diagnostics.map(({ code, path: at, model }: any) => [code, at, model]);
    };
    const unavailable = ['connector.model_unavailable', 'providers.openai.fast_model', 'fast-1'];
    expect(await told({ models: ['gpt-4o'], providers: { openai: { fast_model: 'fast-1' } } })).toEqual([unavailable]);
    expect((await asPhysics('GET', path)).json.diagnostics).toHaveLength(1);
    expect(await told({ models: [], providers: { openai: { fast_model: null } } })).toEqual([]);
  });

  it('clear a secret when the URL beside it changes alone', async () => {
    const answer = await asPhysics('PATCH', path, { knowledge_base: { server_url: 'http://127.0.0.1:10' } });
    expect(answer.json.knowledge_base).toEqual({ server_url: 'http://127.0.0.1:10', api_token_configured: false });
    expect(answer.json.providers.openai.api_key_configured).toBe(true);
  });

  it('keep servers of the Model Context Protocol one by one, off until one is enabled', async () => {
    const servers = { library: { enabled: true }, weather: { url: 'https://mcp.example.com/mcp' } };
    const answer = await asPhysics('PATCH', path, { mcp: { servers } });
    expect(answer.json.mcp).toEqual({
      servers: {
        library: { url: 'http://127.0.0.1:9/mcp', enabled: true, token_configured: true },
        weather: { url: 'https://mcp.example.com/mcp', enabled: false, token_configured: false },
      },
    });
    const removed = await asPhysics('PATCH', path, { mcp: { servers: { library: null } } });
    expect(Object.keys(removed.json.mcp.servers)).toEqual(['weather']);
    for (const name of ['a_b', 'A', '__proto__', 'x'.repeat(25)]) {
      const body = `{"mcp":{"servers":{"${name}":{}}}}`;
      expect((await asPhysics('PATCH', path, JSON.parse(body))).status).toBe(400);
    }
  });

  it.each([
    'http://169.254.169.254/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://localhost.:80',
    'http://user:pw@example.com',
  ])('refuse the address %s wherever it stands', async (url) => {
    const body = {
      providers: { openai: { base_url: url }, anthropic: { base_url: url } },
      knowledge_base: { server_url: url },
      moodle: { api_url: url },
      mcp: { servers: { library: { url } } },
    };
    const answer = await asPhysics('PATCH', path, body);
    expect([answer.status, answer.json.code]).toEqual([400, 'outbound_refused']);
    expect(answer.json.errors.map((problem: { path: string }) => problem.path).sort()).toEqual([
      'knowledge_base.server_url',
      'mcp.servers.library.url',
      'moodle.api_url',
      'providers.anthropic.base_url',
      'providers.openai.base_url',
    ]);
  });

  it('name the address that is not dialled, so that a page can word it at its field', async () => {
    const answer = await asPhysics('PATCH', path, { providers: { openai: { base_url: 'http://169.254.169.254/v1' } } });
    expect(answer.json.errors).toEqual([
      {
        path: 'providers.openai.base_url',
        message:
          'Connections to 169.254.169.254 are not allowed; the operator can allow it with OUTBOUND_ALLOW=169.254.169.254:80',
        code: 'address.refused',
        values: { host: '169.254.169.254', address: '169.254.169.254:80' },
      },
    ]);
  });

  it('refuse a provider that no connector declares, and name those that there are', async () => {
    const answer = await asPhysics('PATCH', path, { providers: { sdfkjh: { enabled: true } } });
    const known = 'openai, ollama, anthropic, google';
    expect([answer.status, answer.json.errors]).toEqual([
      400,
      [
        {
          path: 'providers.sdfkjh',
          message: `is not a known provider; known are ${known}`,
          code: 'provider.unknown',
          values: { name: 'sdfkjh', known },
        },
      ],
    ]);
    expect((await asPhysics('PATCH', path, { providers: { sdfkjh: null } })).status).toBe(200);
  });

  it("tell that the environment's Moodle answers, to the system organization only", async () => {
    const system = await app.api('GET', `${ORGANIZATIONS}/default/moodle`);
    expect(system.json).toEqual({ api_url: null, token_configured: false, environment: true });
    await app.api('POST', ORGANIZATIONS, { slug: 'geology', name: 'Geology' });
    const other = await app.api('GET', `${ORGANIZATIONS}/geology/moodle`);
    expect(other.json).toEqual({ api_url: null, token_configured: false, environment: false });
  });

  it("show the environment's providers to the system organization only, without their keys", async () => {
    const system = await app.api('GET', `${ORGANIZATIONS}/default`);
    expect(system.json.providers.openai).toMatchObject({ environment: true });
    expect(system.text).not.toContain('CANARY');
    expect((await asPhysics('GET', path)).json.providers.openai).toMatchObject({ environment: false });
  });
});

describe('members', () => {
  const path = `${ORGANIZATIONS}/physics/members`;

  it('are added, changed, listed and removed, and every step is in the audit', async () => {
    const added = await asPhysics('POST', path, { email: 'Ada@Physics.example', name: 'Ada', role: 'teacher' });
    expect([added.status, added.json.email, added.json.disabled]).toEqual([201, 'ada@physics.example', false]);
    const changed = await asPhysics('PATCH', `${path}/${added.json.user_id}`, { role: 'admin', name: 'Ada L.' });
    expect(changed.json).toMatchObject({ role: 'admin', name: 'Ada L.' });
    expect((await asPhysics('GET', path)).json).toMatchObject({ total: 2, next_cursor: null });
    expect((await asPhysics('DELETE', `${path}/ada@physics.example`)).status).toBe(204);
    expect((await asPhysics('DELETE', `${path}/ada@physics.example`)).status).toBe(404);
    const { json } = await asPhysics('GET', `${ORGANIZATIONS}/physics/audit?limit=3`);
    expect(json.items.map(({ action }: { action: string }) => action)).toEqual([
      'member.remove',
      'member.update',
      'member.add',
    ]);
    expect(json.items[0]).toMatchObject({
      actor: { kind: 'api_key', user_id: expect.any(String), credential_id: expect.any(String) },
      target: { type: 'member', id: added.json.user_id },
      request_id: expect.any(String),
      ip: expect.any(String),
    });
  });

  it('keep their last owner', async () => {
    const answer = await asPhysics('PATCH', `${path}/owner@physics.example`, { role: 'teacher' });
    expect([answer.status, answer.json.code]).toEqual([409, 'conflict']);
    expect((await asPhysics('DELETE', `${path}/owner@physics.example`)).status).toBe(409);
  });

  it.each(['user_id', 'organization_id', 'system_admin', 'created_at', 'id'])('refuse %s in a body', async (name) => {
    const member = { email: 'x@physics.example', name: 'X', role: 'member', [name]: 'x' };
    const add = await asPhysics('POST', path, member);
    const update = await asPhysics('PATCH', `${path}/owner@physics.example`, { [name]: 'x' });
    for (const answer of [add, update]) {
      expect([answer.status, answer.json.errors[0].path]).toEqual([400, name]);
    }
  });
});
