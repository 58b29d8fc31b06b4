import { startApp, type TestApp } from '../support/app';

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
