import { startApp, type TestApp } from '../support/app';

describe('health', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.stop());

  it('is alive and ready without a credential once it serves', async () => {
    await app.request().get('/health/live').expect(200, { status: 'ok' });
    const { body } = await app.request().get('/health/ready').expect(200).expect('cache-control', 'no-store');
    // A server without pgvector is ready all the same, and says so.
    const vectors = process.env.TEST_DATABASE_URL === undefined ? 'ok' : expect.stringMatching(/^ok$|pgvector/);
    const signals = expect.stringMatching(/^ok$|reconnecting/);
    expect(body).toEqual({
      status: 'ready',
      checks: { process: 'ok', database: 'ok', jobs: 'ok', signals, secrets: 'ok', vectors },
    });
  });

  it('shows the API documentation', async () => {
    const page = await app.request().get('/api/docs/').expect(200);
    expect(page.text).toContain('swagger-ui');
  });

  it('serves an OpenAPI 3.1 document in which every operation says what it is for', async () => {
    const { body } = await app.request().get('/api/openapi.json').expect(200);
    expect(body.openapi).toBe('3.1.0');
    const silent = Object.entries<Record<string, { summary?: string }>>(body.paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, operation]) => !operation.summary)
        .map(([method]) => `${method} ${path}`),
    );
    expect(silent).toEqual([]);
  });

  it('hands out a request id, the caller’s own when it is well-formed', async () => {
    const idFor = async (given?: string): Promise<string | undefined> => {
      const asked = app.request().get('/health/live');
      const { headers } = await (given === undefined ? asked : asked.set('x-request-id', given));
      return headers['x-request-id'];
    };
    expect(await idFor()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idFor('trace-12345678')).toBe('trace-12345678');
    expect(await idFor('<script>alert(1)</script>')).not.toContain('<');
  });

  it('logs the path of an answer without its query, which may hold what people typed', async () => {
    await app.request().get('/health/live?q=private').expect(200);
    expect(app.log()).toContain('"path":"/health/live"');
    expect(app.log()).not.toContain('private');
  });
});
