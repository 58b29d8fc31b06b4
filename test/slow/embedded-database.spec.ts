import { type EmbeddedDatabase, runningEmbeddedUrl, startEmbedded } from '@bellwether/embedded-postgres';
import { Logger } from '@nestjs/common';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { keepPrivate } from '../../src/infrastructure/config';
import { DatabaseHealth, openDatabase } from '../../src/infrastructure/database';
import { createDataSource } from '../../src/infrastructure/postgres/connection/data-source';
import { compile } from '../support/compiled';
import { unpack } from '../support/data-directory';
import { describeEmbedded, workerFile } from '../support/embedded-engine';
import { pristineTemplate } from '../support/test-databases';

describeEmbedded('the embedded database', () => {
  let pristine: string;
  let dataDir: string;
  const open: EmbeddedDatabase[] = [];
  const children: ChildProcess[] = [];

  const start = async (directory = dataDir, worker = workerFile()): Promise<EmbeddedDatabase> => {
    const database = await startEmbedded({
      dataDir: directory,
      workerFile: worker,
      logger: new Logger('EmbeddedDatabase'),
      keepPrivate,
    });
    open.push(database);
    return database;
  };
  const startProcess = async (): Promise<{ child: ChildProcess; report: { url?: string; error?: string } }> => {
    const script = join(__dirname, '../support/embedded-holder.cjs');
    const child = spawn(process.execPath, [script, compile(), dataDir]);
    children.push(child);
    let errors = '';
    child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
    const line = await new Promise<string>((resolve, reject) => {
      // Its log may say something before.
      createInterface(child.stdout).on('line', (text) => {
        if (text.startsWith('{')) resolve(text);
      });
      child.once('close', (code) => reject(new Error(`the process ended with ${code}: ${errors}`)));
    });
    return { child, report: JSON.parse(line) as { url?: string; error?: string } };
  };
  const login = async (url: string): Promise<Client> => {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };

  beforeAll(() => {
    Logger.overrideLogger(false);
    pristine = mkdtempSync(join(tmpdir(), 'bw-pristine-'));
    unpack(pristineTemplate(), join(pristine, 'postgres'));
  });
  beforeEach(() => {
    // Copied, because making one takes longer than most of these tests.
    dataDir = mkdtempSync(join(tmpdir(), 'bw-data-'));
    cpSync(pristine, dataDir, { recursive: true });
  });
  afterAll(() => rmSync(pristine, { recursive: true }));
  afterEach(async () => {
    for (const database of open.splice(0)) await database.close();
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('closes a data directory that others could read', async () => {
    chmodSync(dataDir, 0o755);
    chmodSync(join(dataDir, 'postgres'), 0o755);
    await start();
    expect(statSync(join(dataDir, 'postgres')).mode & 0o777).toBe(0o700);
  });

  it('keeps its data over a clean close, which rolls open transactions back and removes lock and socket', async () => {
    const first = await start();
    const client = await login(first.url);
    await client.query('CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)');
    await client.query('BEGIN');
    await client.query('INSERT INTO kept VALUES (2)');
    const goodbye = new Promise<Error>((resolve) => client.on('error', resolve));
    await open.pop()?.close();
    expect(await goodbye).toMatchObject({ code: '57P01' });
    expect([existsSync(join(dataDir, 'database.lock')), existsSync(join(dataDir, 'socket'))]).toEqual([false, false]);

    const again = await login((await start()).url);
    expect((await again.query('SELECT n FROM kept')).rows).toEqual([{ n: 1 }]);
    await again.end();
  });

  it('is reachable by its own user only', async () => {
    const { url } = await start();
    const directory = new URL(url).searchParams.get('host') ?? '';
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  it('finds a shorter place for its socket when the data directory has a long name', async () => {
    const long = join(dataDir, 'x'.repeat(120));
    cpSync(pristine, long, { recursive: true });
    const { url } = await start(long);
    const directory = new URL(url).searchParams.get('host') ?? '';
    expect([directory.startsWith(long), statSync(directory).mode & 0o777]).toEqual([false, 0o700]);
    await (await login(url)).end();
    await open.pop()?.close();
    expect(existsSync(directory)).toBe(false);
  });

  it('leaves the original its socket when a copy of the directory is started beside it', async () => {
    const { child, report } = await startProcess();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const copy = join(dataDir, '..', `${basename(dataDir)}-copy`);
    // Like `cp -a`, less the socket, which Node does not copy.
    cpSync(dataDir, copy, { recursive: true, preserveTimestamps: true, filter: (source) => !source.includes('PGSQL') });
    try {
      const original = await start();
      expect(original.url).toBe(report.url);
      const { url } = await start(copy);
      expect(url).not.toBe(original.url);
      await (await login(url)).end();
      await (await login(original.url)).end();
      const config = { url: null, dataDir: copy, poolSize: 1 };
      const command = await openDatabase(config, { migrations: [], schema: 'skip', share: true });
      expect((command.dataSource.options as { url?: string }).url).toBe(url);
      await command.close();
    } finally {
      await open.pop()?.close();
      rmSync(copy, { recursive: true, force: true });
    }
  });

  it('is not ready when a new connection cannot be made, though the old ones answer', async () => {
    const { url } = await start();
    const dataSource = await createDataSource({ url, poolSize: 2, migrations: [] }).initialize();
    try {
      expect(await new DatabaseHealth(dataSource).check()).toBe('ok');
      rmSync(new URL(url).searchParams.get('host') ?? '', { recursive: true });
      expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
      expect(await new DatabaseHealth(dataSource).check()).toBe('refuses new connections');
    } finally {
      await dataSource.destroy();
    }
  });

  it('refuses a second process, which may join as a client', async () => {
    const { child, report } = await startProcess();
    await expect(start()).rejects.toThrow(`in use by process ${child.pid}`);
    expect((await startProcess()).report.error).toContain(`in use by process ${child.pid}`);
    expect(await runningEmbeddedUrl(dataDir)).toBe(report.url);
    const config = { url: null, dataDir, poolSize: 2 };
    await expect(openDatabase(config, { migrations: [], schema: 'skip' })).rejects.toThrow('in use by process');
    const shared = await openDatabase(config, { migrations: [], schema: 'skip', share: true });
    expect(shared.engine).toBe('shared');
    expect(await shared.dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await shared.close();
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await runningEmbeddedUrl(dataDir)).toBeNull();
  });

  it('loses nothing that was acknowledged and keeps nothing by halves when its process is killed', async () => {
    const acknowledged: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const { child, report } = await startProcess();
      const client = await login(report.url ?? '');
      await client.query('CREATE TABLE IF NOT EXISTS written (n int, half int)');
      const killed = sleep(150 + round * 70).then(() => child.kill('SIGKILL'));
      for (let n = round * 1_000_000; ; n += 1) {
        const done = await client.query('INSERT INTO written VALUES ($1, 1), ($1, 2)', [n]).catch(() => null);
        if (done === null) break;
        acknowledged.push(n);
      }
      await killed;
    }
    const client = await login((await start()).url);
    const { rows } = await client.query<{ n: number; halves: string }>(
      'SELECT n, count(*) AS halves FROM written GROUP BY n ORDER BY n',
    );
    await client.end();
    expect(acknowledged.length).toBeGreaterThan(10);
    expect(rows.filter(({ halves }) => halves !== '2')).toEqual([]);
    const found = new Set(rows.map(({ n }) => n));
    expect(acknowledged.filter((n) => !found.has(n))).toEqual([]);
  });

  it('replaces an engine that breaks and spins, with everything committed', async () => {
    const { url } = await start(dataDir, join(__dirname, '../support/breaking-worker.cjs'));
    const client = await login(url);
    await client.query('CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)');
    const lost = new Promise<Error>((resolve) => client.on('error', resolve));
    writeFileSync(join(dataDir, 'break'), '');
    await lost;
    for (let found: unknown; found === undefined; await sleep(50)) {
      const next = new Client({ connectionString: url });
      next.on('error', () => undefined);
      found = await next.connect().then(
        () => next.query('SELECT n FROM kept').then(({ rows }) => rows),
        () => undefined,
      );
      await next.end();
      if (found) expect(found).toEqual([{ n: 1 }]);
    }
  });

  it('makes a directory anew whose creation was interrupted', async () => {
    rmSync(join(dataDir, 'postgres', 'global'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres.unfinished'), '');
    const database = await startEmbedded({ dataDir, workerFile: workerFile(), template: pristineTemplate() });
    open.push(database);
    await (await login(database.url)).end();
    expect(existsSync(join(dataDir, 'postgres.unfinished'))).toBe(false);
    expect(statSync(join(dataDir, 'postgres')).mode & 0o777).toBe(0o700);
  });

  it('says what is wrong with a directory it cannot open, and lets go of it', async () => {
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '9\n');
    await expect(start()).rejects.toThrow(
      /cannot be opened: .*database files are incompatible with server.* restore a backup: docs\/guide\/backup\.md$/s,
    );
    expect(existsSync(join(dataDir, 'database.lock'))).toBe(false);
  });

  it('can be dumped while it serves and started from the dump', async () => {
    const first = await start();
    const client = await login(first.url);
    await client.query('CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)');
    const file = join(dataDir, 'dump.tar');
    await first.dump(file);
    const copy = await startEmbedded({ dataDir: join(dataDir, 'copy'), workerFile: workerFile(), template: file });
    open.push(copy);
    const other = await login(copy.url);
    expect((await other.query('SELECT n FROM kept')).rows).toEqual([{ n: 7 }]);
    await Promise.all([client.end(), other.end()]);
  });
});
