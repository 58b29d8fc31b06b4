import { OperatorError } from '@bellwether/kernel';
import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import supertest from 'supertest';
import { DataSource } from 'typeorm';
import { VENDORS } from '../../src/connectors';
import { loadConfig } from '../../src/infrastructure/config';
import { withTrail } from '../../src/infrastructure/context';
import { createPino } from '../../src/infrastructure/telemetry';
import { serve } from '../../src/serve';
import { filesForm, startApp, type TestApp } from '../support/app';
import { makeAssistant, multiTool, streamed, user } from '../support/chat';
import { type CollectedSpan, type Collector, startCollector } from '../support/collector';
import { until } from '../support/until';
import { startUpstream, type Upstream } from '../support/upstream';

const TOKEN = 'canary-of-the-metrics-token-0123456789';
const VENDOR_KEY = 'sk-canary-observed-1';
const COLLECTOR_KEY = 'canary-of-the-collector';

let app: TestApp;
let upstream: Upstream;
let collector: Collector;

beforeAll(async () => {
  [upstream, collector] = await Promise.all([startUpstream(), startCollector()]);
  app = await startApp({
    env: {
      METRICS_PORT: '0',
      METRICS_TOKEN: TOKEN,
      METRICS_ORGANIZATIONS: '1',
      OPENAI_BASE_URL: upstream.url,
      OPENAI_API_KEY: VENDOR_KEY,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Basic%20${COLLECTOR_KEY}`,
    },
  });
});
afterAll(async () => {
  await app.stop();
  await Promise.all([upstream.stop(), collector.close()]);
});

const logged = (msg: string): Record<string, unknown>[] =>
  app
    .log()
    .split('\n')
    .filter((line) => line.includes(`"msg":"${msg}"`))
    .map((line) => JSON.parse(line));

const scrape = async (): Promise<string> => {
  const metrics = supertest(`http://127.0.0.1:${app.metricsPort}`);
  return (await metrics.get('/metrics').set('authorization', `Bearer ${TOKEN}`).expect(200)).text;
};

describe('a start that cannot succeed', () => {
  const start = (env: Record<string, string>) => serve(loadConfig(env, VENDORS), createPino('silent'));

  it('on a port in use says so in one sentence, before anything is made', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const port = String((taken.address() as AddressInfo).port);
    const dataDir = join(tmpdir(), `bw-never-made-${port}`);
    try {
      for (const name of ['PORT', 'METRICS_PORT']) {
        await expect(start({ PORT: '0', DATA_DIR: dataDir, [name]: port })).rejects.toThrow(
          `127.0.0.1:${port} is in use by another program. Set ${name} to a free port.`,
        );
      }
    } finally {
      taken.close();
    }
    expect(existsSync(dataDir)).toBe(false);
  });

  it('in a folder that cannot be written names the folder and the variable', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'bw-file-')), 'a-file');
    writeFileSync(file, '');
    const failed = await start({ PORT: '0', DATA_DIR: join(file, 'data') }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(OperatorError);
    expect((failed as Error).message).toMatch(/a-file\/data cannot be written to: ENOTDIR.*Set DATA_DIR/);
  });
});

describe('health', () => {
  it('is alive and ready without a credential once it serves', async () => {
    await supertest(app.url).get('/health/live').expect(200, { status: 'ok' });
    const { body } = await supertest(app.url).get('/health/ready').expect(200).expect('cache-control', 'no-store');
    // A server without pgvector is ready all the same, and says so.
    const vectors = process.env.TEST_DATABASE_URL === undefined ? 'ok' : expect.stringMatching(/^ok$|pgvector/);
    const signals = expect.stringMatching(/^ok$|reconnecting/);
    expect(body).toEqual({
      status: 'ready',
      checks: { process: 'ok', database: 'ok', storage: 'ok', jobs: 'ok', signals, secrets: 'ok', vectors },
    });
  });

  it('shows the API documentation', async () => {
    const page = await supertest(app.url).get('/api/docs/').expect(200);
    expect(page.text).toContain('swagger-ui');
  });

  it('serves an OpenAPI 3.1 document in which every operation says what it is for', async () => {
    const { body } = await supertest(app.url).get('/api/openapi.json').expect(200);
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
      const asked = supertest(app.url).get('/health/live');
      const { headers } = await (given === undefined ? asked : asked.set('x-request-id', given));
      return headers['x-request-id'];
    };
    expect(await idFor()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idFor('trace-12345678')).toBe('trace-12345678');
    expect(await idFor('<script>alert(1)</script>')).not.toContain('<');
  });

  it('logs the path of an answer without its query, which may hold what people typed', async () => {
    await supertest(app.url).get('/health/live?q=private').expect(200);
    expect(app.log()).toContain('"path":"/health/live"');
    expect(app.log()).not.toContain('private');
  });

  it('logs a refused request with its ids and without the credential, and a page that asks who is signed in quietly', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    await app.api('GET', '/api/v1/me', undefined, {
      authorization: 'Bearer bw_live_canary_secret',
      'x-request-id': 'refused-0001',
      traceparent: `00-${trace}-00f067aa0ba902b7-01`,
    });
    await supertest(app.url).get('/api/v1/me').set('x-request-id', 'anonymous-0001').expect(401);
    const [refused, anonymous] = logged('request refused');
    expect(refused).toMatchObject({
      level: 30,
      module: 'Http',
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
      { level: 40, module: 'Database', run_id: 'run-1', statement: 'SELECT pg_sleep(1.05), $1::text' },
    ]);
    expect(app.log()).not.toContain('private');
  });

  it('serves metrics on a port of its own, with a token, and not beside the pages', async () => {
    await supertest(app.url).get('/metrics').set('authorization', `Bearer ${TOKEN}`).expect(404);
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
    const refused = { authorization: 'Bearer bw_unknown' };
    for (const headers of [refused, { ...refused, 'idempotency-key': 'not-the-fast-path' }]) {
      await supertest(app.url).post('/v1/chat/completions').set(headers).send({ model: 'm' }).expect(401);
    }
    const counted = (await scrape()).split('\n').filter((line) => /duration_seconds_count\{.*"POST".*"401"/.test(line));
    expect(counted).toEqual([expect.stringMatching(/http_route="unmatched".* 2$/)]);
    // Sizes and queues are those of the database.
    expect(text).toMatch(/^bellwether_database_size_bytes [1-9]\d{5,}$/m);
    expect(text).toMatch(/^bellwether_database_table_size_bytes\{table="runs",part="indexes"\} [1-9]\d+$/m);
    expect(text).toMatch(/^db_client_connection_wait_time_seconds_count [1-9]/m);
    expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m);
    expect(app.log()).not.toContain(TOKEN);
  });
});

describe('an observed answer', () => {
  const TRACE = '0af7651916cd43dd8448eb211c80319c';
  const CALLER_SPAN = 'b7ad6b7169203331';
  const QUESTION = 'What does the private canary question say?';

  /** The spans of a trace, once its first one has arrived. */
  const traceOf = async (traceId: string): Promise<readonly CollectedSpan[]> => {
    await until(() => collector.spans.some((span) => span.traceId === traceId && span.kind === 2));
    return collector.spans.filter((span) => span.traceId === traceId);
  };

  beforeEach(() => upstream.reset());

  it('is one trace from the request over run, tools and model to statements, under the caller’s own', async () => {
    const stored = filesForm(['gone.md', 'Gone.'], ['kept.md', 'Kept.']);
    const { json } = await app.api('POST', '/api/v1/files', stored);
    const fileTool = (placeholder: string, file_path: string): object => ({
      plugin: 'single_file_rag',
      placeholder,
      enabled: true,
      config: { file_path },
    });
    const assistant = await makeAssistant(app, {
      prompt_template: '{1_file} {2_file} {user_input}',
      metadata: multiTool([fileTool('1_file', 'gone.md'), fileTool('2_file', 'kept.md')]),
    });
    const gone = json.items.find(({ path }: { path: string }) => path === 'gone.md');
    await app.api('DELETE', `/api/v1/files/${gone.id}`);
    upstream.expect({
      content: 'An answer with a private canary.',
      usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
    });
    const headers = { traceparent: `00-${TRACE}-${CALLER_SPAN}-01`, tracestate: 'v=canary', baggage: 'user=canary' };
    const answer = await streamed(
      app,
      '/v1/chat/completions',
      { model: `lamb_assistant.${assistant}`, messages: [user(QUESTION)] },
      headers,
    );
    expect(answer.status).toBe(200);

    const spans = await traceOf(TRACE);
    const named = (name: string): CollectedSpan => spans.find((span) => span.name === name) as CollectedSpan;
    const request = named('POST /v1/chat/completions');
    const run = named('invoke_agent');
    const [failed, completed] = spans.filter((span) => span.name === 'execute_tool single_file_rag');
    const model = named('chat gpt-4o-mini');
    expect(request).toMatchObject({
      parentSpanId: CALLER_SPAN,
      kind: 2,
      attributes: { 'http.route': '/v1/chat/completions', 'http.response.status_code': '200' },
    });
    expect(run).toMatchObject({
      parentSpanId: request.spanId,
      error: null,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': String(assistant),
        'bellwether.run_id': answer.headers.get('x-run-id'),
        'bellwether.request_id': answer.headers.get('x-request-id'),
        'gen_ai.usage.input_tokens': '11',
        'gen_ai.usage.output_tokens': '7',
      },
    });
    expect(failed).toMatchObject({ parentSpanId: run.spanId, error: 'tool.inaccessible', kind: 1 });
    expect(completed).toMatchObject({ parentSpanId: run.spanId, error: null });
    expect(model).toMatchObject({
      parentSpanId: run.spanId,
      kind: 3,
      error: null,
      attributes: {
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-4o-mini',
        'server.address': '127.0.0.1',
        'gen_ai.usage.input_tokens': '11',
      },
    });
    const statements = spans.filter((span) => span.attributes['db.system.name'] === 'postgresql');
    expect(statements.length).toBeGreaterThan(0);
    const ids = new Set(spans.map(({ spanId }) => spanId));
    for (const span of spans) expect(span === request || ids.has(span.parentSpanId ?? '')).toBe(true);
    for (const span of spans) expect(span.end >= span.start && span.start >= request.start).toBe(true);

    // The vendor's address is the operator's: it may continue the trace, and learns nothing else.
    const asked = upstream.requests.at(-1);
    expect(asked?.headers['traceparent']).toBe(`00-${TRACE}-${model.spanId}-01`);
    expect(asked?.headers).not.toHaveProperty('tracestate');
    expect(asked?.headers).not.toHaveProperty('baggage');
    expect(collector.requests.at(-1)?.headers.authorization).toBe(`Basic ${COLLECTOR_KEY}`);
    expect(collector.text()).not.toContain('canary');
  });

  it('is in the log with its ids and in the metrics, never with its contents', async () => {
    const runId = logged('tool failed')[0]?.['run_id'];
    expect(logged('tool failed')[0]).toMatchObject({
      run_id: runId,
      trace_id: TRACE,
      request_id: expect.any(String),
      tool: 'single_file_rag',
      code: 'tool.inaccessible',
    });
    const text = await scrape();
    for (const line of [
      'gen_ai_invoke_agent_duration_seconds_count{assistant_type="multi_tool",mode="stream",error_type=""} 1',
      'bellwether_completion_time_to_first_token_seconds_count{assistant_type="multi_tool"} 1',
      'gen_ai_execute_tool_duration_seconds_count{gen_ai_tool_name="single_file_rag",kind="tool",error_type="tool.inaccessible"} 1',
      'gen_ai_execute_tool_duration_seconds_count{gen_ai_tool_name="single_file_rag",kind="tool",error_type=""} 1',
      'gen_ai_client_operation_duration_seconds_count{gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="gpt-4o-mini",error_type=""} 1',
      'gen_ai_client_token_usage_sum{gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="gpt-4o-mini",gen_ai_token_type="input"} 11',
      'bellwether_organization_tokens_total{organization="default",gen_ai_token_type="output"} 7',
      'bellwether_completions_active 0',
    ])
      expect(text).toContain(`${line}\n`);
    expect(text).toMatch(/bellwether_trace_spans_total\{outcome="exported"\} [1-9]/);
    for (const secret of ['private canary', VENDOR_KEY, COLLECTOR_KEY, TOKEN])
      expect(app.log() + text).not.toContain(secret);
  });

  it('is traced as failed with the code of the vendor’s failure, and a background run has a trace of its own', async () => {
    const assistant = await makeAssistant(app);
    upstream.expect({ status: 401, raw: JSON.stringify({ error: { message: `private canary ${VENDOR_KEY}` } }) });
    const { json } = await app.api('POST', `/api/v1/assistants/${assistant}/runs`, { messages: [user(QUESTION)] });
    const run = await until(() =>
      collector.spans.find(({ attributes }) => attributes['bellwether.run_id'] === json.id),
    );
    expect(run).toMatchObject({ name: 'invoke_agent', error: 'upstream_auth' });
    expect(run.parentSpanId).toBeUndefined();
    const model = collector.spans.find((span) => span.traceId === run.traceId && span.name === 'chat gpt-4o-mini');
    expect(model).toMatchObject({ error: 'upstream_auth', parentSpanId: run.spanId });
    expect(logged('model vendor failed').at(-1)).toMatchObject({ run_id: json.id, trace_id: run.traceId, status: 401 });
    expect(app.log() + collector.text()).not.toContain('canary');
  });

  it('is not slower and does not fail while the collector hangs', async () => {
    collector.answer(() => undefined);
    const assistant = await makeAssistant(app, { metadata: { connector: 'bypass', llm: '' } });
    for (let n = 0; n < 5; n += 1) {
      const { status } = await app.api('POST', '/v1/chat/completions', {
        model: `lamb_assistant.${assistant}`,
        messages: [user('Hi')],
      });
      expect(status).toBe(200);
    }
    collector.answer(null);
  });
});
