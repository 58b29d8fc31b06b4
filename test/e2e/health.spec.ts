import { startApp, type TestApp } from '../support/app';

describe('health', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.stop());

  it('is alive and ready without a credential once it serves', async () => {
    expect(await (await fetch(`${app.url}/health/live`)).json()).toEqual({ status: 'ok' });
    const ready = await fetch(`${app.url}/health/ready`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ status: 'ready', checks: { process: 'ok', database: 'ok', secrets: 'ok' } });
  });

  it('leads from / to the API documentation, which is there', async () => {
    const response = await fetch(`${app.url}/`);
    expect(response.url).toBe(`${app.url}/api/docs`);
    expect(await response.text()).toContain('swagger-ui');
  });

  it('serves an OpenAPI 3.1 document in which every operation says who may call it', async () => {
    const document = (await (await fetch(`${app.url}/api/openapi.json`)).json()) as {
      openapi: string;
      paths: Record<string, Record<string, { summary?: string }>>;
    };
    expect(document.openapi).toBe('3.1.0');
    const silent = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, operation]) => !operation.summary)
        .map(([method]) => `${method} ${path}`),
    );
    expect(silent).toEqual([]);
  });

  it('hands out a request id, the caller’s own when it is well-formed', async () => {
    expect((await fetch(`${app.url}/health/live`)).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const given = { 'x-request-id': 'trace-12345678' };
    expect((await fetch(`${app.url}/health/live`, { headers: given })).headers.get('x-request-id')).toBe(
      'trace-12345678',
    );
    const hostile = { 'x-request-id': '<script>alert(1)</script>' };
    expect((await fetch(`${app.url}/health/live`, { headers: hostile })).headers.get('x-request-id')).not.toContain(
      '<',
    );
  });
});
