import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '../../migrations';
import { runCommand, startCommand } from '../support/command';
import { DatabaseProxy } from '../support/proxy';
import { createScratchDatabase, type ScratchDatabase } from '../support/scratch-database';
import { type ServerProcess, startServer } from '../support/server-process';
import { until } from '../support/until';

// Each command is a process that starts an application: slow where many do.
jest.setTimeout(120_000);

describe('operator commands beside a running server on the embedded database', () => {
  let dataDir: string;
  let server: ServerProcess;
  let scratch: ScratchDatabase;
  const run = (...args: string[]): ReturnType<typeof runCommand> => runCommand({ DATA_DIR: dataDir }, ...args);

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'bw-cli-'));
    [server, scratch] = await Promise.all([startServer({ dataDir }), createScratchDatabase()]);
  });
  afterAll(async () => {
    await server.kill();
    await scratch.drop();
    rmSync(dataDir, { recursive: true });
  });

  it('tell the state, refuse what would pull the schema from under it, and know bad usage from failure', async () => {
    const [status, doctor, revert, usage] = await Promise.all([
      run('db:status', '--json'),
      run('doctor', '--json'),
      run('db:revert', '--force', '--json'),
      run('export', '--to', 'https://example.org/db', '--json'),
    ]);
    expect(status).toMatchObject({ code: 0, json: { ok: true, engine: 'shared', pending: [] } });
    expect(status.json.applied).toHaveLength(migrations.length);
    expect(doctor.json).toMatchObject({
      engine: 'shared',
      schema: true,
      database: { version: expect.any(String), bytes: expect.any(Number) },
      data_directory: { writable: true, bytes_free: expect.any(Number) },
      migration_policy: 'manual',
    });
    expect(revert).toMatchObject({ code: 1, json: { ok: false, error: expect.stringContaining('Stop it first') } });
    expect(usage).toMatchObject({ code: 2, json: { ok: false, error: expect.stringContaining('--to must be') } });
    expect(await server.api('GET', '/health/ready')).toMatchObject({ status: 200 });
  });

  it('copy the database to a server, unless told to stop', async () => {
    const line = new DatabaseProxy(scratch.url);
    await line.listen();
    const stopped = startCommand({ DATA_DIR: dataDir }, 'export', '--to', line.url);
    await until(() => stopped.err().includes('copying the data files'), 60_000);
    stopped.child.kill('SIGINT');
    expect(await stopped.ended).toMatchObject({
      code: 1,
      out: expect.stringContaining('run the command again to start over'),
      err: expect.stringContaining('once more ends at once'),
    });
    await line.die();

    const done = await run('export', '--to', scratch.url, '--json');
    expect(done).toMatchObject({ code: 0, err: '', json: { ok: true, beside_server: true } });
    expect(done.json.tables).toContainEqual({ table: 'public.api_keys', rows: 1, checksum: expect.any(String) });
    expect(await server.api('GET', '/health/ready')).toMatchObject({ status: 200 });
  });
});
