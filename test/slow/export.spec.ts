import { type EmbeddedDatabase, startEmbedded } from '@bellwether/embedded-postgres';
import { Logger } from '@nestjs/common';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrations } from '../../migrations';
import { exportDatabase, type ExportOptions, type ExportReport, migrate } from '../../src/infrastructure/database';
import { createDataSource } from '../../src/infrastructure/postgres/connection/data-source';
import { workerFile } from '../support/embedded-engine';
import { fillTables } from '../support/filled-tables';
import { DatabaseProxy } from '../support/proxy';
import { createScratchDatabase, type ScratchDatabase } from '../support/scratch-database';
import { pristineTemplate } from '../support/test-databases';

const ROWS = 3;
const role = `bw_plain_${process.pid}`;

// Each export starts an engine of its own.
jest.setTimeout(240_000);

async function ask<T extends object>(url: string, sql: string): Promise<T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('the export of an embedded database', () => {
  let dataDir: string;
  let source: EmbeddedDatabase;
  let scratch: ScratchDatabase;

  const run = (options: Partial<ExportOptions> = {}): Promise<ExportReport> =>
    exportDatabase({
      dataDir,
      to: scratch.url,
      migrations,
      signal: new AbortController().signal,
      report: () => undefined,
      workerFile: workerFile(),
      ...options,
    });
  const leftHere = (): string[] => readdirSync(dataDir).filter((name) => name.startsWith('export'));
  const emptyTarget = (): Promise<unknown> =>
    ask(scratch.url, 'DROP SCHEMA IF EXISTS pgboss CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  /** To the same target, as whoever may make tables there and nothing else; an engine of its own has one role. */
  const plainRole = async (): Promise<string> => {
    if (!process.env.TEST_DATABASE_URL) return scratch.url;
    const url = new URL(scratch.url);
    url.username = role;
    await ask(scratch.url, `CREATE ROLE ${role} LOGIN`);
    await expect(run({ to: url.toString() })).rejects.toThrow('This role may not make tables in the target');
    const database = url.pathname.slice(1);
    await ask(scratch.url, `GRANT CREATE ON DATABASE "${database}" TO ${role}; ALTER SCHEMA public OWNER TO ${role}`);
    return url.toString();
  };
  const migrated = async (url: string): Promise<ReturnType<typeof createDataSource>> => {
    const dataSource = await createDataSource({ url, poolSize: 1, migrations }).initialize();
    await migrate(dataSource);
    return dataSource;
  };

  beforeAll(async () => {
    Logger.overrideLogger(false);
    dataDir = mkdtempSync(join(tmpdir(), 'bw-export-'));
    source = await startEmbedded({ dataDir, workerFile: workerFile(), template: pristineTemplate() });
    const dataSource = await migrated(source.url);
    await dataSource.query(
      `SELECT pgboss.create_queue('late', '{}'), pgboss.create_queue('early', '{"retryLimit":7}')`,
    );
    await dataSource.query(`UPDATE pgboss.queue SET dead_letter = 'late' WHERE name = 'early'`);
    await dataSource.query(
      `INSERT INTO pgboss.job (name, data, dead_letter) VALUES ('early', '{"a": "\\\\ñ"}', 'late')`,
    );
    await fillTables(dataSource, ROWS);
    await dataSource.query(`ALTER SEQUENCE assistants_id_seq RESTART WITH 4000`);
    await dataSource.destroy();
    scratch = await createScratchDatabase();
  });
  afterAll(async () => {
    await scratch.drop();
    const server = process.env.TEST_DATABASE_URL;
    if (server) await ask(server, `DROP ROLE IF EXISTS ${role}`);
    rmSync(dataDir, { recursive: true });
  });

  it('writes no row and leaves nothing behind when anything goes wrong on the way', async () => {
    await emptyTarget();
    await (await migrated(scratch.url)).destroy();
    const untouched = async (): Promise<void> => {
      expect(leftHere()).toEqual([]);
      expect(await ask(scratch.url, 'SELECT id FROM organizations')).toEqual([]);
      const [keys] = await ask(scratch.url, `SELECT count(*)::int > 10 AS n FROM pg_constraint WHERE contype = 'f'`);
      expect(keys).toEqual({ n: true });
    };

    await expect(run({ freeBytes: () => Promise.resolve(5_000_000) })).rejects.toThrow(/needs \d+ MB .* 5 MB are free/);
    await expect(run({ to: source.url })).rejects.toThrow('The target is the embedded database itself');
    await expect(run({ to: 'postgres://nobody@127.0.0.1:1/none' })).rejects.toThrow('cannot be used: ');
    await expect(run({ dataDir: join(dataDir, 'none') })).rejects.toThrow('There is no embedded database in');

    const stop = new AbortController();
    const stopAt = ({ text }: { text: string }): void =>
      text.startsWith('rows') ? stop.abort(new Error('stop')) : undefined;
    await expect(run({ signal: stop.signal, report: stopAt })).rejects.toThrow('stop');
    await untouched();

    const line = new DatabaseProxy(scratch.url);
    await line.listen();
    const cutAt = ({ text }: { text: string }): void => (text.startsWith('rows') ? line.cut() : undefined);
    await expect(run({ to: line.url, report: cutAt })).rejects.toThrow('The target was lost');
    await line.die();
    await untouched();

    await ask(
      scratch.url,
      `CREATE FUNCTION full_disk() RETURNS boolean LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
       ALTER TABLE runs ADD CONSTRAINT full_disk_ck CHECK (full_disk())`,
    );
    await expect(run()).rejects.toThrow('The disk of the target is full');
    await untouched();

    await ask(
      scratch.url,
      `ALTER TABLE runs DROP CONSTRAINT full_disk_ck;
       CREATE RULE meddling AS ON INSERT TO organizations DO ALSO DELETE FROM organizations`,
    );
    await expect(run()).rejects.toThrow('public.organizations did not arrive as it is (3 rows here, 0 there)');
    await untouched();
  });

  it('brings every row of every table, the sequences and the queues, beside the running engine, without a superuser', async () => {
    await emptyTarget();
    const seen: string[] = [];
    const to = await plainRole();
    const report = await run({ to, report: ({ text }) => seen.push(text.replace(/ \(.*/, '')) });
    expect([...new Set(seen)]).toEqual(['copying the data files', 'tables counted', 'rows copied', 'tables compared']);
    expect(report.beside).toBe(true);
    expect(report.tables.filter(({ table, rows }) => table.startsWith('public.') && rows !== ROWS)).toEqual([]);
    expect(report.tables).toContainEqual({ table: 'pgboss.job', rows: 1, checksum: expect.stringMatching(/^\w{32}$/) });
    for (const sql of [
      'SELECT to_jsonb(a) FROM assistants a ORDER BY id',
      'SELECT to_jsonb(c) FROM kb_chunks c ORDER BY id',
      'SELECT encode(vector, $$hex$$) FROM kb_embedding_cache ORDER BY 1',
      'SELECT to_jsonb(j) FROM pgboss.job j',
      'SELECT to_jsonb(q) FROM pgboss.queue q ORDER BY name',
      `SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f' ORDER BY 1, 2`,
    ]) {
      expect(await ask(scratch.url, sql)).toEqual(await ask(source.url, sql));
    }
    expect(await ask(scratch.url, `SELECT nextval('assistants_id_seq')::int AS next`)).toEqual([{ next: 4000 }]);
    expect(leftHere()).toEqual([]);
    await expect(run()).rejects.toThrow('The target is not empty: it has rows in public.');
  });

  it('reads a stopped database, and makes what the vectors need or says that the server lacks it', async () => {
    await emptyTarget();
    await ask(
      source.url,
      `CREATE EXTENSION vector;
       CREATE TABLE kb_vectors (index_id int NOT NULL, chunk_id bigint NOT NULL CONSTRAINT kb_vectors_chunk_fk
         REFERENCES kb_chunks (id) ON DELETE CASCADE, embedding vector NOT NULL, CONSTRAINT kb_vectors_pk PRIMARY KEY (index_id, chunk_id))
         WITH (toast_tuple_target = 8160);
       CREATE INDEX kb_vectors_chunk_idx ON kb_vectors (chunk_id);
       INSERT INTO kb_vectors SELECT 1, id, '[0.1,-2,3e-9]' FROM kb_chunks`,
    );
    await source.close();
    const vector = `SELECT 1 AS one FROM pg_available_extensions WHERE name = 'vector'`;
    if ((await ask(scratch.url, vector)).length === 0) {
      await expect(run()).rejects.toThrow(
        'public.kb_vectors needs the extension "vector", which that server does not have',
      );
    } else {
      const { beside, tables } = await run();
      expect([beside, tables.find(({ table }) => table === 'public.kb_vectors')?.rows]).toEqual([false, ROWS]);
      const index = `SELECT count(*)::int AS n FROM pg_indexes WHERE tablename = 'kb_vectors'`;
      expect(await ask(scratch.url, index)).toEqual([{ n: 2 }]);
    }
    expect(leftHere()).toEqual([]);
  });
});
