import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import supertest, { type Response, type Test } from 'supertest';
import { createApp, type EmbeddingOptions } from '../../src';
import { createPino } from '../../src/infrastructure/telemetry';
import type { RunningService } from '../../src/serve';
import { resetDatabase, testDatabaseUrl } from './database';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed body, or undefined when it is not JSON. Loose on purpose: tests assert shapes. */
  readonly json: any;
}

export interface TestApp {
  readonly url: string;
  /** Key of the administrator of the organization `default`. */
  readonly adminKey: string;
  readonly dataDir: string;
  /** Null without `METRICS_PORT`. */
  readonly metricsPort: number | null;
  /** One call with supertest, as the administrator unless `headers` carry another credential. */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
  /** Everything the service logged so far (JSON lines), whatever the level. */
  log(): string;
  /** Nest's container, for assertions on the inside. */
  get: RunningService['app']['get'];
  stop(): Promise<void>;
}

export interface TestAppOptions extends Pick<EmbeddingOptions, 'plugins' | 'overrides'> {
  readonly env?: Readonly<Record<string, string>>;
  /** False keeps the rows of an earlier start in the same file. */
  readonly reset?: boolean;
  readonly dataDir?: string;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Any content type as text: superagent alone would parse JSON and forms, and keep bytes of other types. */
function asText(response: Response, done: (error: Error | null, text: string) => void): void {
  const chunks: Buffer[] = [];
  const stream = response as unknown as NodeJS.ReadableStream;
  stream.on('data', (chunk: Buffer | string) => chunks.push(Buffer.from(chunk)));
  stream.on('end', () => done(null, Buffer.concat(chunks).toString('utf8')));
}

/** Returns nothing: a call is a thenable, and awaiting it sends it. */
async function addBody(call: Test, body: unknown): Promise<void> {
  if (body === undefined) return;
  if (!(body instanceof FormData)) {
    call.set('content-type', 'application/json').send(JSON.stringify(body));
    return;
  }
  // superagent sends a form without fields as no form at all.
  if ([...body].length === 0) call.set('content-type', 'multipart/form-data; boundary=empty').send('--empty--\r\n');
  for (const [field, value] of body) {
    if (typeof value === 'string') call.field(field, value);
    else call.attach(field, Buffer.from(await value.arrayBuffer()), { filename: value.name, contentType: value.type });
  }
}

function headersOf(response: Response): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries<string | string[]>(response.headers)) {
    for (const each of [value].flat()) headers.append(name, each);
  }
  return headers;
}

/** Over a plain connection: a data source would put all entities together first. */
async function emptyDatabase(): Promise<void> {
  const client = new Client({ connectionString: testDatabaseUrl() });
  await client.connect();
  await resetDatabase(client);
  await client.end();
}

/** Starts the real service on a free port and this worker's database, as `npm start` would. */
export async function startApp({
  env = {},
  reset = true,
  dataDir,
  ...embedding
}: TestAppOptions = {}): Promise<TestApp> {
  if (reset) await emptyDatabase();
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'bw-test-'));
  const adminKey = env['BOOTSTRAP_ADMIN_KEY'] ?? `bw_${randomBytes(24).toString('hex')}`;
  let logged = '';
  const service = await createApp({
    ...embedding,
    env: {
      NODE_ENV: 'test',
      PORT: '0',
      DATABASE_URL: testDatabaseUrl(),
      DATA_DIR: folder,
      BOOTSTRAP_ADMIN_KEY: adminKey,
      SECRETS_KEY: `test:${randomBytes(32).toString('hex')}`,
      SEED_DEMO: 'false',
      LOG_LEVEL: 'debug',
      SHUTDOWN_TIMEOUT: '500',
      OUTBOUND_ALLOW: '127.0.0.1',
      // The event loop is that of the test, too, which compiles files in it.
      EVENT_LOOP_DELAY_LIMIT: '0',
      ...env,
    },
    loggerOf: (level) => createPino(level, { write: (line: string) => void (logged += line) }),
  });
  // A connection for each call would take as long as a small answer.
  const connections = new Agent({ keepAlive: true });
  const api = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer> => {
    const carriesCredential = Object.keys(headers).some((name) => /^(authorization|x-api-key)$/i.test(name));
    const call = new supertest.Test(service.url, method, path)
      .redirects(0)
      .agent(connections)
      .set(carriesCredential ? {} : { authorization: `Bearer ${adminKey}` });
    await addBody(call, body);
    const response = await call.set(headers).buffer(true).parse(asText);
    const text = response.body as string;
    return { status: response.status, headers: headersOf(response), text, json: parsed(text) };
  };
  return {
    url: service.url,
    adminKey,
    dataDir: folder,
    metricsPort: service.metricsPort,
    api,
    log: () => logged,
    get: service.app.get.bind(service.app),
    stop: async () => {
      await service.stop();
      // Not before: a call may still wait for its answer.
      connections.destroy();
      if (dataDir === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Form with the field `files`, as the upload routes expect. */
export function filesForm(
  ...files: readonly (readonly [name: string, content: string | Buffer, type?: string])[]
): FormData {
  const form = new FormData();
  for (const [name, content, type] of files) {
    form.append(
      'files',
      new Blob([typeof content === 'string' ? content : new Uint8Array(content)], { type: type ?? 'text/markdown' }),
      name,
    );
  }
  return form;
}
