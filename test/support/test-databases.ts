import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { migrations } from '../../migrations';
import { createDataSource } from '../../src/infrastructure/postgres/connection/data-source';
import { EngineThread } from '../../packages/embedded-postgres/src/engine-supervisor';
import { socketPath, urlOf } from '../../packages/embedded-postgres/src/socket-directory';
import { migrate } from '../../src/infrastructure/postgres/connection/migrate';
import { compile, compiledFile } from './compiled';

/** To connect on a machine that is busy with other things. */
const PATIENCE_MS = 50_000;

export interface TestDatabases {
  /** One per jest worker. */
  readonly urls: readonly string[];
  /** A dump of the migrated, empty database for `preparedDataDir`; a server has none. */
  readonly dump: string | null;
  stop(): Promise<void>;
}

/** Made once per version of the engine and kept: creating a cluster takes longer than all the rest of the setup. */
export const pristineTemplate = (): string => compiledFile('pristine-pglite-0.5.14.tar');

/** One engine in memory per worker, all copies of one that was migrated. */
export async function embeddedDatabases(count: number): Promise<TestDatabases> {
  compile();
  const directory = mkdtempSync(join(tmpdir(), 'bw-test-'));
  const threads: EngineThread[] = [];
  const start = async (index: number, template: string | undefined): Promise<EngineThread> => {
    const home = join(directory, String(index));
    mkdirSync(home, { mode: 0o700 });
    const thread = await EngineThread.start(compiledFile('packages/embedded-postgres/src/embedded.worker.js'), {
      directory: null,
      ...(template === undefined ? {} : { template }),
      socketPath: socketPath(home),
      waitMs: 5_000,
      idleLimitMs: 60_000,
    });
    threads[index] = thread;
    return thread;
  };
  const url = (index: number): string => urlOf(join(directory, String(index)));

  const known = existsSync(pristineTemplate());
  const first = await start(0, known ? pristineTemplate() : undefined);
  if (!known) await keepPristine(first);
  await applyMigrations(url(0));
  const dump = join(directory, 'migrated.tar');
  await first.dump(dump);
  await Promise.all(Array.from({ length: count - 1 }, (_, index) => start(index + 1, dump)));
  return {
    urls: threads.map((_, index) => url(index)),
    dump,
    stop: async () => {
      await Promise.all(threads.map((thread) => thread.kill()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Renamed into place, so that a setup that is interrupted leaves no half of it. */
async function keepPristine(thread: EngineThread): Promise<void> {
  const draft = `${pristineTemplate()}.${process.pid}`;
  mkdirSync(dirname(draft), { recursive: true });
  await thread.dump(draft);
  renameSync(draft, pristineTemplate());
}

/** One database per worker on a server, all copies of one that was migrated. */
export async function serverDatabases(serverUrl: string, count: number): Promise<TestDatabases> {
  const prefix = `bw_test_${process.pid}`;
  const names = Array.from({ length: count }, (_, index) => `${prefix}_${index + 1}`);
  const admin = new Client({ connectionString: serverUrl });
  await admin.connect();
  const drop = async (name: string): Promise<void> => {
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  };
  const template = `${prefix}_template`;
  await admin.query(`CREATE DATABASE ${template}`);
  try {
    await applyMigrations(withDatabase(serverUrl, template));
    for (const name of names) await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  } finally {
    await drop(template);
  }
  return {
    urls: names.map((name) => withDatabase(serverUrl, name)),
    dump: null,
    stop: async () => {
      for (const name of names) await drop(name);
      await admin.end();
    },
  };
}

function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.toString();
}

async function applyMigrations(url: string): Promise<void> {
  const dataSource = createDataSource({ url, poolSize: 1, migrations, connectTimeout: PATIENCE_MS });
  await dataSource.initialize();
  try {
    await migrate(dataSource);
  } finally {
    await dataSource.destroy();
  }
}
