import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, startCommand } from '../support/command';
import { preparedDataDir } from '../support/data-directory';
import { lambContent } from '../support/lamb-content';
import { buildLambDatabase } from '../support/lamb-database';
import { DatabaseProxy } from '../support/proxy';
import { createScratchDatabase, type ScratchDatabase } from '../support/scratch-database';
import { type ServerProcess, startServer } from '../support/server-process';
import { until } from '../support/until';

// Most commands load the whole application in a process of their own: as few of them as can be.
jest.setTimeout(120_000);

describe('operator commands beside a running server on the embedded database', () => {
  let dataDir: string;
  let server: ServerProcess;
  let scratch: ScratchDatabase;
  const plugin = join(__dirname, '../../examples/word-count-tool');
  const run = (...args: string[]): ReturnType<typeof runCommand> =>
    runCommand({ DATA_DIR: dataDir, BELLWETHER_PLUGINS: plugin }, ...args);

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
    const lastDay = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const bridge = '/api/v1/organizations/default/lti/bridge';
    expect((await server.api('PATCH', bridge, { enabled: true, until: lastDay })).status).toBe(200);
    const key = { providers: { openai: { api_key: 'sk-canary' } } };
    expect((await server.api('PATCH', '/api/v1/organizations/default', key)).status).toBe(200);
    const doctor = await run('doctor', '--json');
    expect(doctor.json).toMatchObject({
      engine: 'shared',
      extensions: expect.arrayContaining(['lti', 'mcp']),
      plugins: [{ source: plugin, name: 'word-count-tool', version: '1.0.0', brings: ['word_count (tools)'] }],
      schema: true,
      findings: expect.arrayContaining([
        expect.objectContaining({
          code: 'database.ok',
          values: expect.objectContaining({ version: expect.any(String) }),
        }),
        // The server has another SECRETS_KEY than the command.
        expect.objectContaining({ code: 'secrets.missing', values: { keys: 'test' } }),
        expect.objectContaining({ code: expect.stringMatching(/^disk\./) }),
      ]),
      migration_policy: 'manual',
      passwords_of_lamb: [],
      lti_1_1: [{ organization: 'default', until: lastDay, ended: false, last_launch_at: null }],
    });
    const revert = await run('db:revert', '--force', '--json');
    expect(revert).toMatchObject({ code: 1, json: { ok: false, error: expect.stringContaining('Stop it first') } });
    expect(await server.api('GET', '/health/ready')).toMatchObject({ status: 200 });
  });

  it('say in one sentence that a schema is missing on a server, without a stack', async () => {
    const file = join(dataDir, 'lamb.db');
    buildLambDatabase(file, lambContent());
    const refused = await runCommand({ DATA_DIR: dataDir, DATABASE_URL: scratch.url }, 'import:lamb', file);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(
      /^The database schema is older than this build, by \d+ migrations\. Run db:migrate, or start the service once\.\n$/,
    );
  });

  it('copy the database to a server, unless told to stop', async () => {
    const line = new DatabaseProxy(scratch.url);
    await line.listen();
    const stopped = startCommand({ DATA_DIR: dataDir }, 'export', '--to', line.url);
    await until(() => stopped.err().includes('copying the data files'));
    stopped.child.kill('SIGINT');
    expect(await stopped.ended).toMatchObject({
      code: 1,
      out: expect.stringContaining('run the command again to start over'),
      err: expect.stringContaining('Repeat to stop at once'),
    });
    await line.die();

    const env = { DATA_DIR: dataDir, EXPORT_DATABASE_URL: scratch.url };
    const done = await runCommand(env, 'export', '--json');
    expect(done).toMatchObject({ code: 0, err: '', json: { ok: true, beside_server: true } });
    expect(done.json.tables).toContainEqual({ table: 'public.api_keys', rows: 1, checksum: expect.any(String) });
    expect(await server.api('GET', '/health/ready')).toMatchObject({ status: 200 });
  });
});

it('the first command on an installation that never started makes the schema, as a start does', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'bw-cli-new-'));
  const file = join(dataDir, 'lamb.db');
  buildLambDatabase(file, lambContent());
  const env = { DATA_DIR: dataDir, SECRETS_KEY: `test:${randomBytes(32).toString('hex')}` };
  expect(await runCommand(env, 'import:lamb', file, '--org', 'lamb', '--json')).toMatchObject({
    code: 0,
    err: '',
    json: { ok: true, organizations: [{ slug: 'lamb', outcome: 'created' }] },
  });
  rmSync(dataDir, { recursive: true });
});
