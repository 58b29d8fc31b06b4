import { Semaphore } from '@bellwether/kernel';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { migrations } from '../../migrations';
import {
  acrossOrganizations,
  type DatabaseConfig,
  openDatabase,
  type OpenDatabase,
  withinOrganization,
} from '../../src/infrastructure/postgres';
import { queryPrepared } from '../../src/infrastructure/database';
import type { Config } from '../../src/infrastructure/config';
import { Signals } from '../../src/infrastructure/signals';
import { openTestDatabase, resetDatabase, testDatabaseUrl } from '../support/database';
import { until } from '../support/until';

const PGBOUNCER = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));
/** The embedded engine has no pooler in front. */
const describePooled = process.env.TEST_DATABASE_URL && PGBOUNCER ? describe : describe.skip;

const SERVER_CONNECTIONS = 2;
const POOL_SIZE = 12;

describePooled('through PgBouncer in transaction mode', () => {
  let owner: DataSource;
  let bound: OpenDatabase;
  /** `url` leads through the pooler. */
  let config: DatabaseConfig & { url: string };
  let pooler: ChildProcess;
  let directory: string;
  const organizations: string[] = [];

  const freePort = (): Promise<number> =>
    new Promise((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const address = server.address();
        server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
      });
    });

  beforeAll(async () => {
    owner = await openTestDatabase();
    await resetDatabase(owner);
    for (const slug of ['one', 'two', 'three']) {
      const [row] = await owner.query<{ id: string }[]>(
        `INSERT INTO organizations (id, slug, name, settings) VALUES (gen_random_uuid(), $1, $1, '{}') RETURNING id`,
        [slug],
      );
      organizations.push(row?.id ?? '');
    }
    const server = new URL(testDatabaseUrl());
    const port = await freePort();
    directory = mkdtempSync(join(tmpdir(), 'bw-pooler-'));
    chmodSync(directory, 0o755);
    const file = join(directory, 'pgbouncer.ini');
    writeFileSync(
      file,
      `[databases]
* = host=${server.hostname} port=${server.port || 5432} user=${server.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
ignore_startup_parameters = extra_float_digits,statement_timeout,idle_in_transaction_session_timeout
`,
    );
    // It refuses to run as root.
    const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    pooler = spawn(PGBOUNCER ?? '', ['-q', ...user, file], { stdio: 'ignore' });
    const url = new URL(testDatabaseUrl());
    url.host = `127.0.0.1:${port}`;
    await until(async () => {
      const client = new Client({ connectionString: url.href });
      client.on('error', () => undefined);
      try {
        await client.connect();
        return true;
      } catch {
        return false;
      } finally {
        await client.end().catch(() => undefined);
      }
    });
    config = { url: url.href, sessionUrl: testDatabaseUrl(), dataDir: '', poolSize: POOL_SIZE };
    bound = await openDatabase(config, { migrations, schema: 'skip', bound: true });
  });
  afterAll(async () => {
    await bound.close();
    pooler.kill();
    await resetDatabase(owner);
    await owner.destroy();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Runs as many at once as the pool has connections: work that waits for a connection is refused on a slow machine. */
  const each = <T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> => {
    const semaphore = new Semaphore(POOL_SIZE);
    return Promise.all(Array.from({ length: count }, (_, n) => semaphore.run(() => work(n))));
  };

  const seen = async (source: Pick<DataSource, 'query'>): Promise<string[]> =>
    (await source.query<{ id: string }[]>('SELECT id FROM organizations')).map(({ id }) => id);

  it('keeps organizations apart that take turns on the same server connections', async () => {
    expect(bound.rowSecurity).toMatchObject({ enforced: true });
    await each(100, async (n) => {
      const organization = organizations[n % organizations.length] ?? '';
      await withinOrganization(organization, async () => {
        expect(await seen(bound.dataSource)).toEqual([organization]);
        await bound.dataSource.transaction(async (tx) => {
          expect(await seen(tx)).toEqual([organization]);
          expect(await seen(tx)).toEqual([organization]);
        });
      });
    });
    expect((await acrossOrganizations('jobs', () => seen(bound.dataSource))).sort()).toEqual([...organizations].sort());
  });

  it('answers prepared statements, whichever server connection gets them', async () => {
    const ask = (n: number) =>
      withinOrganization(organizations[0] ?? '', () =>
        queryPrepared(bound.dataSource, 'SELECT $1::int AS n, count(*)::int AS seen FROM organizations', [n]),
      );
    const answers = await each(100, ask);
    expect(answers).toEqual(answers.map((_, n) => [{ n, seen: 1 }]));
  });

  it('tells other processes by notifications, on a session of its own', async () => {
    const heard: string[] = [];
    const [here, there] = [1, 2].map(() => new Signals({ database: config } as unknown as Config));
    there?.on('news', (payload) => void heard.push(payload));
    for (const signals of [here, there]) signals?.start();
    try {
      await until(() => here?.state === 'ok' && there?.state === 'ok');
      here?.publish('news', 'first');
      await until(() => heard.length > 0);
      expect(heard).toEqual(['first']);
    } finally {
      for (const signals of [here, there]) await signals?.onApplicationShutdown();
    }
  });

  it('holds the lock of migrations on a session of its own, and leaves none behind', async () => {
    const opened = await Promise.all(
      Array.from({ length: 3 }, () => openDatabase(config, { migrations, schema: 'migrate', bound: true })),
    );
    try {
      const [locks] = await owner.query<[{ n: number }]>(
        `SELECT count(*)::int AS n FROM pg_locks
         WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      expect(locks.n).toBe(0);
    } finally {
      for (const database of opened) await database.close();
    }
  });

  it('leaves no organization on a server connection', async () => {
    await withinOrganization(organizations[0] ?? '', () => seen(bound.dataSource));
    const states = await Promise.all(
      Array.from({ length: 10 }, () =>
        bound.asOwner((plain) =>
          plain.query<{ left: boolean }[]>(
            `SELECT current_user <> session_user OR current_setting('bellwether.organization', true) <> '' AS left`,
          ),
        ),
      ),
    );
    expect(states.flat().filter(({ left }) => left)).toEqual([]);
  });
});
