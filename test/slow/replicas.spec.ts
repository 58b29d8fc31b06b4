import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import { migrations } from '../../migrations';
import {
  loginOf,
  migrate,
  type MigrationClass,
  protectedTables,
  rowSecurityState,
} from '../../src/infrastructure/database';
import { createDataSource } from '../../src/infrastructure/postgres/connection/data-source';
import { createScratchDatabase, type ScratchDatabase } from '../support/scratch-database';
import { type ServerProcess, startServer } from '../support/server-process';
import { startUpstream } from '../support/upstream';
import { until } from '../support/until';

/** The embedded engine belongs to one process: two replicas are for a server. */
const describeOnServer = process.env.TEST_DATABASE_URL ? describe : describe.skip;

jest.setTimeout(120_000);

describeOnServer('two replicas that start at once', () => {
  let scratch: ScratchDatabase;
  let home: string;

  beforeAll(async () => {
    scratch = await createScratchDatabase();
    home = mkdtempSync(join(tmpdir(), 'bw-replicas-'));
  });
  afterAll(async () => {
    await scratch.drop();
    rmSync(home, { recursive: true });
  });

  it.each([
    ['an empty database', 0],
    ['one of an older version', migrations.length - 3],
  ])('on %s are both ready, and each migration was applied once', async (_name, applied) => {
    const list = migrations.slice(0, applied);
    const dataSource = await createDataSource({ url: scratch.url, poolSize: 1, migrations: list }).initialize();
    await dataSource.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    if (applied > 0) await migrate(dataSource);
    const replicas = await Promise.all(
      ['one', 'other'].map((name) => startServer({ dataDir: join(home, name), databaseUrl: scratch.url })),
    );
    try {
      for (const replica of replicas) {
        expect(await replica.api('GET', '/health/ready')).toMatchObject({ status: 200 });
        expect(await replica.api('GET', '/api/v1/assistants')).toMatchObject({ status: 200 });
      }
      expect(replicas.filter((replica) => replica.output().includes('Applied '))).toHaveLength(1);
      const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations');
      expect(rows.map(({ name }) => name).sort()).toEqual(migrations.map(({ name }) => name).sort());
    } finally {
      await Promise.all(replicas.map((replica) => replica.kill()));
      await dataSource.destroy();
    }
  });
});

/** A migration of a build that does not exist yet. */
function next(name: string, number: number, statement: string): MigrationClass {
  const stamped = `${name}${9_990_000_000_000 + number}`;
  return class {
    readonly name = stamped;
    up = (queryRunner: QueryRunner): Promise<unknown> => queryRunner.query(statement);
    down = (): Promise<unknown> => Promise.resolve();
  };
}

/** Reads and writes many tables until it is told to end. Resolves with the statuses of failures. */
async function keepBusy(replica: ServerProcess, assistant: number, busy: { on: boolean }): Promise<string[]> {
  const failed: string[] = [];
  const ask = async (method: string, path: string, body?: unknown): Promise<any> => {
    const { status, json } = await replica.api(method, path, body);
    if (status >= 300) failed.push(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
    return json;
  };
  while (busy.on) {
    await ask('POST', '/v1/chat/completions', question(assistant));
    const { id } = await ask('POST', '/api/v1/assistants', { name: 'Made while migrating' });
    await ask('GET', `/api/v1/assistants/${id}`);
    await ask('DELETE', `/api/v1/assistants/${id}`);
    for (const list of ['assistants', 'runs', 'knowledge-bases', 'api-keys', 'me']) await ask('GET', `/api/v1/${list}`);
    // A busy machine may be late with its answer; the schema must never be the reason.
    const { json } = await replica.api('GET', '/health/ready');
    if (/schema/.test(json.checks.database)) failed.push(json.checks.database);
  }
  return failed;
}

const question = (assistant: number) => ({
  model: `lamb_assistant.${assistant}`,
  messages: [{ role: 'user', content: 'Hi' }],
});

describeOnServer('transactions that lock tables in the opposite order', () => {
  it('stop neither migrations nor row-level security, and none of them is ended for it', async () => {
    const scratch = await createScratchDatabase();
    const connect = (list: readonly MigrationClass[]): Promise<DataSource> =>
      createDataSource({ url: scratch.url, poolSize: 4, migrations: [...migrations, ...list] }).initialize();
    const busy = { on: true };
    const today = await connect([]);
    const newer = await connect([
      next(
        'AddBoth',
        1,
        'ALTER TABLE assistants ADD COLUMN next_text text; ALTER TABLE users ADD COLUMN next_text text',
      ),
    ]);
    try {
      await migrate(today);
      const open = await protectedTables(today);
      await today.query(open.map((table) => `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`).join(';'));
      let done = 0;
      // 20 ms between transactions, as between requests: without a gap the migration never gets its lock. The test does
      // not depend on the length.
      const work = [1, 2].map(async () => {
        for (; busy.on; done += 1) {
          await today.transaction(async (tx) => {
            for (const table of ['users', 'runs', 'members', 'assistants', 'api_keys']) {
              await tx.query(`LOCK TABLE ${table} IN ROW EXCLUSIVE MODE`);
            }
          });
          await sleep(20);
        }
      });
      await until(() => done > 2);
      expect(await migrate(newer)).toHaveLength(1);
      busy.on = false;
      await Promise.all(work);
      expect(await rowSecurityState(today, await loginOf(today))).toMatchObject({ enforced: true });
    } finally {
      busy.on = false;
      await Promise.all([today, newer].map((dataSource) => dataSource.destroy()));
      await scratch.drop();
    }
  });
});

describeOnServer('a replica, while a newer build migrates', () => {
  it('keeps serving when the schema grows, and becomes unready when it shrinks', async () => {
    const [scratch, upstream] = [await createScratchDatabase(), await startUpstream()];
    upstream.always({ content: 'Hello.' });
    const home = mkdtempSync(join(tmpdir(), 'bw-upgrade-'));
    const replica = await startServer({
      dataDir: home,
      databaseUrl: scratch.url,
      confined: true,
      // A busy machine is no reason to refuse, either.
      env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-upgrade-1', EVENT_LOOP_DELAY_LIMIT: '0' },
    });
    const connect = (list: readonly MigrationClass[]): Promise<DataSource> =>
      createDataSource({ url: scratch.url, poolSize: 1, migrations: [...migrations, ...list] }).initialize();
    const today = await connect([]);
    try {
      const { json } = await replica.api('POST', '/api/v1/assistants', {
        name: 'Tutor',
        metadata: { connector: 'openai', llm: 'gpt-4o-mini' },
      });
      const tables = await today.query<{ name: string }[]>(
        `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'`,
      );
      const grown = tables.map(({ name }, at) =>
        next('Add', at, `ALTER TABLE ${name} ADD COLUMN next_text text, ADD COLUMN next_count int NOT NULL DEFAULT 7`),
      );
      const busy = { on: true };
      const work = [keepBusy(replica, json.id, busy), keepBusy(replica, json.id, busy)];
      await until(() => upstream.requests.length > 3);
      const newer = await connect(grown);
      expect(await migrate(newer)).toHaveLength(tables.length);
      const before = upstream.requests.length;
      await until(() => upstream.requests.length > before + 6);
      busy.on = false;
      expect((await Promise.all(work)).flat()).toEqual([]);
      await until(async () => (await replica.api('GET', '/health/ready')).status === 200);
      await newer.destroy();

      const newest = await connect([...grown, next('ContractRuns', 999, 'ALTER TABLE runs DROP COLUMN next_text')]);
      await migrate(newest);
      await newest.destroy();
      const schema = await until(async () => {
        const { status, json: ready } = await replica.api('GET', '/health/ready');
        return status === 503 && /schema/.test(ready.checks.database) && ready.checks.database;
      });
      expect(schema).toBe('schema is newer than this build');
      expect(await replica.stop()).toBe(0);
    } finally {
      await replica.kill();
      await today.destroy();
      await upstream.stop();
      await scratch.drop();
      rmSync(home, { recursive: true });
    }
  });
});
