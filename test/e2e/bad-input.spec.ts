import { BODIES } from '../../src/infrastructure/http/memory-budget';
import { startApp, type TestApp } from '../support/app';
import { makeMember } from '../support/chat';

/** Every answer to bad input: a 4xx in the door's shape, a stable code, nothing internal. */
function expectRefusal(answer: Awaited<ReturnType<TestApp['api']>>, status: number | readonly number[]): void {
  expect([status].flat()).toContain(answer.status);
  expect(answer.text).not.toMatch(/node_modules|SELECT |at \w+ \(|stack/i);
}

describe('bad input', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.stop());

  const raw = (path: string, body: string, headers: Record<string, string> = {}): ReturnType<TestApp['api']> =>
    fetch(app.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.adminKey}`, 'content-type': 'application/json', ...headers },
      body,
    }).then(async (response) => {
      const text = await response.text();
      let json: unknown;
      try {
        json = JSON.parse(text);
      } catch {
        json = undefined;
      }
      return { status: response.status, headers: response.headers, text, json };
    });

  describe.each(['/api/v1/assistants', '/v1/chat/completions', '/api/v1/rubrics', '/api/v1/knowledge-bases'])(
    '%s',
    (path) => {
      it.each([
        ['malformed JSON', '{"name": '],
        ['a bare word', 'hello'],
        ['null', 'null'],
        ['a number', '42'],
        ['a list', '[]'],
        ['20,000 levels', '['.repeat(20_000) + ']'.repeat(20_000)],
        ['a NUL character', '{"name":"a\\u0000b"}'],
        ['half a surrogate pair', '{"name":"\\ud800"}'],
        ['__proto__', '{"__proto__":{"admin":true}}'],
      ])('refuses %s', async (_name, body) => {
        const answer = await raw(path, body);
        expectRefusal(answer, 400);
        expect(answer.headers.get('content-type')).toMatch(/json/);
      });

      it('refuses a form post, whatever it says', async () => {
        const answer = await raw(path, 'name=x&owner=y', { 'content-type': 'application/x-www-form-urlencoded' });
        expectRefusal(answer, 415);
      });
    },
  );

  describe('a method that the path does not have', () => {
    const ask = (method: string, path: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(app.url + path, { method, headers });
    const withKey = () => ({ authorization: `Bearer ${app.adminKey}` });

    it.each([
      ['PUT', '/api/v1/assistants/4', 'DELETE, GET, HEAD, OPTIONS, PATCH'],
      ['PUT', '/api/v1/assistants/999999', 'DELETE, GET, HEAD, OPTIONS, PATCH'],
      ['PROPFIND', '/api/v1/files', 'GET, HEAD, OPTIONS, POST'],
      ['GET', '/v1/chat/completions', 'OPTIONS, POST'],
      ['DELETE', '/lamb/v1/completions/list', 'GET, HEAD, OPTIONS'],
      ['HEAD', '/v1/chat/completions', 'OPTIONS, POST'],
    ])('%s %s is 405 and names the others', async (method, path, allow) => {
      const answer = await ask(method, path, withKey());
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
      if (method === 'HEAD') return;
      const body = (await answer.json()) as { code?: string; error?: { code: string } };
      expect(path.startsWith('/api') ? body.code : body.error?.code).toBe('method_not_allowed');
    });

    it('asks for a credential first, except where the path asks for none', async () => {
      expect((await ask('PUT', '/api/v1/assistants/4')).status).toBe(401);
      expect((await ask('PUT', '/api/v1/assistants/4', { authorization: 'Bearer bw_nobody' })).status).toBe(401);
      expect((await ask('DELETE', '/health/live')).status).toBe(405);
      expect((await ask('PUT', '/api/v1/session')).headers.get('allow')).toBe('DELETE, GET, HEAD, OPTIONS, POST');
    });

    it('tells the methods by OPTIONS, and nothing of paths that do not exist', async () => {
      const options = await ask('OPTIONS', '/api/v1/assistants', withKey());
      expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS, POST']);
      expect((await ask('HEAD', '/api/v1/assistants', withKey())).status).toBe(200);
      for (const method of ['GET', 'PUT', 'PROPFIND', 'OPTIONS']) {
        expect((await ask(method, '/api/v1/nothing/here', withKey())).status).toBe(404);
        expect((await ask(method, '/api/v1/assistants/%E0%A4%A', withKey())).status).not.toBe(500);
      }
    });
  });

  it('refuses null by name where a property has no use for it', async () => {
    const created = await app.api('POST', '/api/v1/knowledge-bases', { name: 'Nulls' });
    const path = `/api/v1/knowledge-bases/${(created.json as { id: string }).id}`;
    const nulls = { name: null, slug: null, visibility: null, chunk_size: null, chunk_overlap: null };
    const answers = [
      await app.api('PATCH', path, nulls),
      await app.api('POST', `${path}/query`, { query: 'x', top_k: null }),
      await app.api('POST', '/api/v1/assistants', { name: 'a', metadata: {}, system_prompt: null }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    const { errors } = answers[0]?.json as { errors: { path: string }[] };
    expect([...new Set(errors.map((error) => error.path))].sort()).toEqual(Object.keys(nulls).sort());
  });

  it('says of a body that is no JSON just that, in the shape of each door, and quotes none of it', async () => {
    const house = await raw('/api/v1/assistants', '{"name": secret-of-a-student}');
    expect(house.json).toMatchObject({ code: 'malformed_json', detail: 'The body is not valid JSON' });
    const openAi = await raw('/v1/chat/completions', '{"messages": secret-of-a-student}');
    expect(openAi.json).toMatchObject({ error: { code: 'malformed_json', message: 'The body is not valid JSON' } });
  });

  describe.each([
    ['/v1/chat/completions', 500_000],
    ['/lamb/v1/completions?assistant=1', 500_000],
    ['/api/v1/assistants/1/completions', 500_000],
    ['/api/v1/assistants/1/runs', 500_000],
    ['/api/v1/assistants', 200_000],
    ['/lamb/v1/completions/tools/simple_rag/validate', 200_000],
    ['/mcp', 200_000],
  ])('a body of many values to %s', (path, count) => {
    it.each([
      ['empty objects', (n: number) => `{"messages":[${'{},'.repeat(n)}{}]}`],
      ['open arrays', (n: number) => `{"messages":${'['.repeat(n)}`],
      ['members', (n: number) => `{${Array.from({ length: n / 4 }, (_, index) => `"k${index}":1`).join(',')}}`],
      ['commas', (n: number) => `[${','.repeat(n)}`],
    ])('is refused without being parsed: %s', async (_name, make) => {
      const body = make(count);
      const parse = jest.spyOn(JSON, 'parse');
      const answer = await raw(path, body);
      const parsed = parse.mock.calls.filter(([text]) => text.length > 10_000).length;
      parse.mockRestore();
      expectRefusal(answer, 400);
      expect(JSON.stringify(answer.json)).toContain('body_too_complex');
      expect(parsed).toBe(0);
    });
  });

  it('refuses metadata that is a text of many values without parsing it', async () => {
    const metadata = `{"tools":[${'{},'.repeat(100_000)}{}]}`;
    for (const path of ['', '/validate', '/import']) {
      const answer = await app.api('POST', `/api/v1/assistants${path}`, { name: 'a', template: '', metadata });
      expect([path, answer.status]).toEqual([path, 400]);
    }
  });

  it('refuses a body in another encoding than UTF-8', async () => {
    const type = 'application/json; charset=utf-16le';
    expectRefusal(await raw('/api/v1/assistants', '{"name":"a"}', { 'content-type': type }), 415);
  });

  it('accepts a body with a byte order mark, and a compressed one', async () => {
    const { gzipSync } = await import('node:zlib');
    const marked = await raw('/api/v1/assistants/validate', '\uFEFF{"template":"{user_input}"}');
    expect(marked.status).toBe(200);
    const headers = { authorization: `Bearer ${app.adminKey}`, 'content-type': 'application/json' };
    const response = await fetch(`${app.url}/api/v1/assistants/validate`, {
      method: 'POST',
      headers: { ...headers, 'content-encoding': 'gzip' },
      body: new Uint8Array(gzipSync('{"template":"{user_input}"}')),
    });
    expect(response.status).toBe(200);
    const broken = await fetch(`${app.url}/api/v1/assistants/validate`, {
      method: 'POST',
      headers: { ...headers, 'content-encoding': 'gzip' },
      body: 'no gzip',
    });
    expect(broken.status).toBe(400);
  });

  it('asks to try again later while other bodies hold the memory, and gives back what it held', async () => {
    const others = BODIES.claim('another-organization');
    const held = BODIES.size;
    // More than is left: the claim fails, and what it took counts until its release.
    expect(() => others.take(512 * 1024 * 1024)).toThrow();
    const answer = await raw('/v1/chat/completions', JSON.stringify({ user: 'x'.repeat(200_000) }));
    const small = await raw('/v1/chat/completions', '{}');
    others.release();
    expectRefusal(small, 400);
    expectRefusal(answer, 503);
    expect(answer.headers.get('retry-after')).toBe('5');
    expectRefusal(await raw('/v1/chat/completions', '{}'), 400);
    expect(BODIES.size).toBe(held);
  });

  it('reads no conversation of a key that may not chat', async () => {
    const { headers } = await makeMember(app, 'member', ['read']);
    for (const path of ['/v1/chat/completions', '/api/v1/assistants/1/runs'])
      expectRefusal(await raw(path, '{"messages": ', headers), 403);
  });

  it('refuses 5 MB on the house API', async () => {
    expectRefusal(
      await raw('/api/v1/assistants', JSON.stringify({ name: 'x', description: 'y'.repeat(5_000_000) })),
      413,
    );
  });

  it('refuses a compressed body that unpacks over the limit', async () => {
    const { gzipSync } = await import('node:zlib');
    const response = await fetch(`${app.url}/api/v1/assistants`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${app.adminKey}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body: new Uint8Array(gzipSync(JSON.stringify({ name: 'x', description: 'y'.repeat(20_000_000) }))),
    });
    expect(response.status).toBe(413);
  });

  it('asks who is calling before it reads a body', async () => {
    const huge = await raw('/v1/chat/completions', `{"x": "${'y'.repeat(2_000_000)}`, {
      authorization: 'Bearer bw_wrong',
    });
    expectRefusal(huge, 401);
    expect(huge.json).toMatchObject({ error: { type: 'authentication_error', code: 'unauthenticated' } });
    expectRefusal(await raw('/api/v1/assistants', '{"name": ', { authorization: '' }), 401);
  });

  it('names unknown properties and lists every problem with its path', async () => {
    const answer = await app.api('POST', '/api/v1/assistants', { name: 7, colour: 'red', owner: 'me', metadata: {} });
    expectRefusal(answer, 400);
    expect(answer.json).toMatchObject({ code: 'validation_failed', status: 400 });
    expect(answer.json.errors.map((problem: { path: string }) => problem.path).sort()).toEqual(
      expect.arrayContaining(['colour', 'name', 'owner']),
    );
    expect(answer.json.request_id).toBe(answer.headers.get('x-request-id'));
  });

  it('refuses the unknown property prototype by name, and keeps it where every key is kept', async () => {
    const answer = await app.api('POST', '/api/v1/assistants', { name: 'a', metadata: {}, prototype: { admin: true } });
    expectRefusal(answer, 400);
    expect(answer.json.errors).toEqual([expect.objectContaining({ path: 'prototype' })]);
    const kept = await app.api('POST', '/api/v1/assistants', { name: 'a', metadata: { prototype: 'kept' } });
    expect([kept.status, kept.json.metadata.prototype]).toEqual([201, 'kept']);
  });

  it('promises https to browsers only where the service has an https address', async () => {
    expect((await app.api('GET', '/health/live')).headers.get('strict-transport-security')).toBeNull();
  });

  it('ends no sessions for a key that may only read', async () => {
    const { headers } = await makeMember(app, 'member', ['read']);
    for (const path of ['/api/v1/sessions', '/api/v1/sessions/00000000-0000-7000-8000-000000000000'])
      expectRefusal(await app.api('DELETE', path, undefined, headers), 403);
    const writer = await makeMember(app, 'member', ['read', 'write']);
    expect((await app.api('DELETE', '/api/v1/sessions', undefined, writer.headers)).status).toBe(204);
  });

  it('gives a repeated request the status of its first answer', async () => {
    const document = { name: 'Imported', metadata: {} };
    const post = () =>
      app.api('POST', '/api/v1/assistants/import?dry_run=true', document, {
        'idempotency-key': 'dry-run',
        'x-api-key': app.adminKey,
      });
    const [first, second] = [await post(), await post()];
    expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true']);
  });

  it('answers an unknown path in the shape of its door', async () => {
    expect((await app.api('GET', '/api/v1/nothing')).json).toMatchObject({ code: 'not_found', status: 404 });
    expect((await app.api('GET', '/v1/nothing')).json).toMatchObject({ error: { code: 'not_found' } });
  });

  it('refuses a path that is no valid percent-encoding', async () => {
    expectRefusal(await app.api('GET', '/api/v1/assistants/%E0%A4%A'), 400);
  });

  it.each(['0', '-1', '1.5', 'abc', '99999999999999999999', "1'%20OR%20'1'='1"])(
    'answers 400 or 404 to the assistant id %s',
    async (id) => {
      expectRefusal(await app.api('GET', `/api/v1/assistants/${id}`), [400, 404]);
    },
  );

  it.each(['not-a-uuid', '00000000-0000-7000-8000-000000000000', '..%2f..%2fetc'])(
    'answers 400 or 404 to the object id %s',
    async (id) => {
      for (const list of ['rubrics', 'knowledge-bases', 'files', 'runs'])
        expectRefusal(await app.api('GET', `/api/v1/${list}/${id}`), [400, 404]);
    },
  );

  it.each(['limit=0', 'limit=101', 'limit=x', 'cursor=%F0%9F%92%A9', 'colour=red'])(
    'refuses the list query %s',
    async (query) => {
      expectRefusal(await app.api('GET', `/api/v1/assistants?${query}`), 400);
    },
  );

  it('sends security headers and does not name its framework', async () => {
    const { headers } = await app.api('GET', '/health/live');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("script-src 'self'");
  });
});
