import { rmSync } from 'node:fs';
import { runCommand, startCommand } from '../support/command';
import { preparedDataDir } from '../support/data-directory';
import { DatabaseProxy } from '../support/proxy';
import { createScratchDatabase, type ScratchDatabase } from '../support/scratch-database';
import { type ServerProcess, startServer } from '../support/server-process';
import { until } from '../support/until';

// Each command is a process that loads the application, some seconds of work: as few as can be.
jest.setTimeout(120_000);

describe('operator commands beside a running server on the embedded database', () => {
  let dataDir: string;
  let server: ServerProcess;
  let scratch: ScratchDatabase;
  const run = (...args: string[]): ReturnType<typeof runCommand> => runCommand({ DATA_DIR: dataDir }, ...args);

  beforeAll(async () => {
    dataDir = preparedDataDir('bw-cli-');
    [server, scratch] = await Promise.all([startServer({ dataDir }), createScratchDatabase()]);
  });
  afterAll(async () => {
    await server.kill();
    await scratch.drop();
    rmSync(dataDir, { recursive: true });
  });

  it('tell the state, and refuse what would pull the schema from under it', async () => {
    const doctor = await run('doctor', '--json');
    expect(doctor.json).toMatchObject({
      engine: 'shared',
      schema: true,
      database: { version: expect.any(String), bytes: expect.any(Number) },
      data_directory: { writable: true, bytes_free: expect.any(Number) },
      migration_policy: 'manual',
    });
    const revert = await run('db:revert', '--force', '--json');
    expect(revert).toMatchObject({ code: 1, json: { ok: false, error: expect.stringContaining('Stop it first') } });
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

    const env = { DATA_DIR: dataDir, EXPORT_DATABASE_URL: scratch.url };
    const done = await runCommand(env, 'export', '--json');
    expect(done).toMatchObject({ code: 0, err: '', json: { ok: true, beside_server: true } });
    expect(done.json.tables).toContainEqual({ table: 'public.api_keys', rows: 1, checksum: expect.any(String) });
    expect(await server.api('GET', '/health/ready')).toMatchObject({ status: 200 });
  });
});
