import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startVendor } from './vendor.mjs';

export interface VendorCall {
  readonly question: string;
  /** Whether its socket was closed before the answer ended. */
  readonly aborted: boolean;
}

/** The built service on an embedded database of its own, with a scripted model vendor. */
export interface Service {
  readonly url: string;
  /** The administrator's: from the environment, or what a fresh start wrote down. */
  readonly key: string;
  /** URL of its embedded database. */
  readonly database: string;
  /** Base URL of the scripted vendor. */
  readonly vendor: string;
  readonly seen: readonly VendorCall[];
  /** Everything it has printed so far. */
  output(): string;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  /** A fresh start's own key and one-time link, instead of a key from the environment. */
  readonly fresh?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

const KEY = `bw_${'e'.repeat(40)}`;
const PATIENCE_MS = 90_000;
const ROOT = join(import.meta.dirname, '../../..');

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
      .on('error', reject)
      .listen(0, '127.0.0.1', () => {
        const address = server.address();
        const port = typeof address === 'object' && address !== null ? address.port : 0;
        server.close(() => resolve(port));
      });
  });

async function whenReady(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const giveUp = Date.now() + PATIENCE_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}:\n${output()}`);
    const ready = await fetch(`${url}/health/ready`).catch(() => null);
    if (ready?.ok === true) return;
    if (Date.now() > giveUp) throw new Error(`The service is not ready:\n${output()}`);
    await sleep(100);
  }
}

export async function startService({ fresh = false, env = {} }: ServiceOptions = {}): Promise<Service> {
  const vendor = await startVendor();
  const dataDir = mkdtempSync(join(tmpdir(), 'bellwether-web-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, ['dist/src/main.js'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: dataDir,
      SEED_DEMO: 'false',
      LOG_LEVEL: 'warn',
      ...(fresh ? {} : { BOOTSTRAP_ADMIN_KEY: KEY }),
      OPENAI_API_KEY: 'sk-scripted',
      OPENAI_BASE_URL: vendor.url,
      OUTBOUND_ALLOW: '127.0.0.1',
      ...env,
    },
  });
  let printed = '';
  child.stdout.on('data', (data: Buffer) => (printed += data.toString()));
  child.stderr.on('data', (data: Buffer) => (printed += data.toString()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), 5_000);
    await ended;
    clearTimeout(kill);
    await vendor.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await whenReady(url, child, () => printed);
  } catch (error) {
    await stop();
    throw error;
  }
  const key = fresh ? readFileSync(join(dataDir, 'admin-key'), 'utf8').trim() : KEY;
  const database = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(join(dataDir, 'socket'))}`;
  const seen = vendor.seen as VendorCall[];
  return { url, key, database, vendor: vendor.url, seen, output: () => printed, stop };
}
