import supertest from 'supertest';
import { DataSource } from 'typeorm';
import { withTrail } from '../../src/platform/context';
import { startApp, type TestApp } from '../support/app';

const TOKEN = 'canary-of-the-metrics-token-0123456789';

describe('health', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ env: { METRICS_PORT: '0', METRICS_TOKEN: TOKEN } });
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

  const logged = (msg: string): Record<string, unknown>[] =>
    app
      .log()
      .split('\n')
      .filter((line) => line.includes(`"msg":"${msg}"`))
      .map((line) => JSON.parse(line));

  it('logs a refused request with its ids and without the credential, and a page that asks who is signed in quietly', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    await app.api('GET', '/api/v1/me', undefined, {
      authorization: 'Bearer bw_live_canary_secret',
      'x-request-id': 'refused-0001',
      traceparent: `00-${trace}-00f067aa0ba902b7-01`,
    });
    await app.request().get('/api/v1/me').set('x-request-id', 'anonymous-0001').expect(401);
    const [refused, anonymous] = logged('request refused');
    expect(refused).toMatchObject({
      level: 30,
      room: 'Http',
      request_id: 'refused-0001',
      trace_id: trace,
      code: 'unauthenticated',
      status: 401,
      method: 'GET',
      path: '/api/v1/me',
    });
    expect(anonymous).toMatchObject({ level: 20, request_id: 'anonymous-0001' });
    expect(app.log()).not.toContain('canary');
  });

  it('logs a slow statement without its values, with the run that asked', async () => {
    await withTrail({ runId: 'run-1' }, () =>
      app.get(DataSource).query('SELECT pg_sleep(1.05), $1::text', ['private']),
    );
    expect(logged('slow statement')).toMatchObject([
      { level: 40, room: 'Database', run_id: 'run-1', statement: 'SELECT pg_sleep(1.05), $1::text' },
    ]);
    expect(app.log()).not.toContain('private');
  });

  it('serves metrics on a port of its own, with a token, and not beside the pages', async () => {
    await app.request().get('/metrics').set('authorization', `Bearer ${TOKEN}`).expect(404);
    const metrics = supertest(`http://127.0.0.1:${app.metricsPort}`);
    await metrics.get('/metrics').expect(401).expect('www-authenticate', 'Bearer');
    await metrics.get('/').expect(404);
    await metrics.post('/metrics').expect(405);
    await app.api('GET', '/api/v1/runs/0195f2a0-0000-7000-8000-000000000001');
    const { text } = await metrics
      .get('/metrics')
      .set('authorization', `Bearer ${TOKEN}`)
      .expect(200)
      .expect('content-type', 'text/plain; version=0.0.4; charset=utf-8');
    expect(text).toContain(
      'http_server_request_duration_seconds_count{http_request_method="GET",http_route="/api/v1/runs/:id",http_response_status_code="404"} 1\n',
    );
    expect(text).toContain('bellwether_requests_refused_total{error_type="unauthenticated"} 2\n');
    // Sizes and queues are those of the database.
    expect(text).toMatch(/^bellwether_database_size_bytes [1-9]\d{5,}$/m);
    expect(text).toMatch(/^bellwether_database_table_size_bytes\{table="runs",part="indexes"\} [1-9]\d+$/m);
    expect(text).toMatch(/^db_client_connection_wait_time_seconds_count [1-9]/m);
    expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m);
    expect(app.log()).not.toContain(TOKEN);
  });
});
