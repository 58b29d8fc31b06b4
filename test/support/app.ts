import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { loadConfig } from '../../src/platform/config';
import { createPino } from '../../src/platform/logging';
import { serve } from '../../src/serve';
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
  /** Calls the service as the administrator unless `headers` carry another credential. */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
  /** Everything the service logged so far (JSON lines), whatever the level. */
  log(): string;
  /** Nest's container, for assertions on the inside. */
  get: Awaited<ReturnType<typeof serve>>['app']['get'];
  stop(): Promise<void>;
}

export interface TestAppOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** False keeps the rows of an earlier start in the same file. */
  readonly reset?: boolean;
  readonly dataDir?: string;
}

const encode = (body: unknown): { body?: string | FormData; headers: Record<string, string> } => {
  if (body === undefined) return { headers: {} };
  if (body instanceof FormData) return { body, headers: {} };
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Over a plain connection: a data source would put all entities together first. */
async function emptyDatabase(): Promise<void> {
  const client = new Client({ connectionString: testDatabaseUrl() });
  await client.connect();
  await resetDatabase(client);
  await client.end();
}

/** Starts the real service on a free port and this worker's database, as `npm start` would. */
export async function startApp({ env = {}, reset = true, dataDir }: TestAppOptions = {}): Promise<TestApp> {
  if (reset) await emptyDatabase();
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'bw-test-'));
  const adminKey = env['BOOTSTRAP_ADMIN_KEY'] ?? `bw_${randomBytes(24).toString('hex')}`;
  let logged = '';
  const config = loadConfig({
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
    ...env,
  });
  const service = await serve(config, createPino(config.log.level, { write: (line: string) => void (logged += line) }));
  const api = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer> => {
    const payload = encode(body);
    const carriesCredential = Object.keys(headers).some((name) => /^(authorization|x-api-key)$/i.test(name));
    const response = await fetch(service.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(carriesCredential ? {} : { authorization: `Bearer ${adminKey}` }),
        ...payload.headers,
        ...headers,
      },
      ...(payload.body === undefined ? {} : { body: payload.body }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parse(text) };
  };
  return {
    url: service.url,
    adminKey,
    dataDir: folder,
    api,
    log: () => logged,
    get: service.app.get.bind(service.app),
    stop: async () => {
      await service.stop();
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
