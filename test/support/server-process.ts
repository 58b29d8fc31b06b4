import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { compile, compiledFile, SERVICE } from './compiled';
import { mayReadOnly, readOnly } from './read-only';

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Of the administrator. */
  readonly key: string;
  /** Milliseconds from the start of the process to its readiness. */
  readonly startedInMs: number;
  /** Its output so far. */
  output(): string;
  api(method: string, path: string, body?: unknown): Promise<{ status: number; json: any }>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

export interface ServerOptions {
  readonly dataDir: string;
  /** Absent: the embedded database in `dataDir`. */
  readonly databaseUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** As containers run it, if this machine can: only `dataDir` is writable, and there are no capabilities. */
  readonly confined?: boolean;
}

const KEY = `bw_${'k'.repeat(40)}`;
const SECRETS = `test:${randomBytes(32).toString('hex')}`;
const PATIENCE_MS = 120_000;

/** The service in a process of its own, as `npm start` runs it, to be killed. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { dataDir, databaseUrl, env = {}, confined = false } = options;
  compile(SERVICE);
  const started = performance.now();
  const plain = [process.execPath, '--enable-source-maps', compiledFile('src/main.js')];
  const [program = '', ...args] = confined && mayReadOnly() ? readOnly(dataDir, plain) : plain;
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: dataDir,
      ...(confined ? { TMPDIR: dataDir } : {}),
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      BOOTSTRAP_ADMIN_KEY: KEY,
      SECRETS_KEY: SECRETS,
      SEED_DEMO: 'false',
      LOG_LEVEL: 'info',
      SHUTDOWN_TIMEOUT: '2000',
      ...env,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const url = await urlOf(child, () => output);
  const ended = once(child, 'exit');
  const api: ServerProcess['api'] = async (method, path, body) => {
    const isForm = body instanceof FormData;
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${KEY}`, ...(body && !isForm ? { 'content-type': 'application/json' } : {}) },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
  };
  return {
    url,
    pid: child.pid ?? 0,
    key: KEY,
    startedInMs: performance.now() - started,
    output: () => output,
    api,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = (await ended) as [number | null];
      return code;
    },
  };
}

async function urlOf(child: ChildProcess, output: () => string): Promise<string> {
  for (const deadline = performance.now() + PATIENCE_MS; ;) {
    const found = /answers on (http:\S+)/.exec(output());
    if (found?.[1]) return found[1];
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`The server did not start:\n${output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
