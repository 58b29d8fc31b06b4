import { runningEmbeddedUrl } from '@bellwether/embedded-postgres';
import { randomBytes } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { runCommand } from '../support/command';
import { preparedDataDir } from '../support/data-directory';
import { type ServerProcess, startServer } from '../support/server-process';

// Each command loads the application in a process of its own.
jest.setTimeout(120_000);

const SECRETS_KEY = `test:${randomBytes(32).toString('hex')}`;

let dataDir: string;
let server: ServerProcess;
const run = (...args: string[]): ReturnType<typeof runCommand> =>
  runCommand({ DATA_DIR: dataDir, SECRETS_KEY }, ...args);

/** An attacker with every right in the database. */
async function tamper(): Promise<void> {
  const client = new Client({ connectionString: (await runningEmbeddedUrl(dataDir)) ?? '' });
  await client.connect();
  await client.query(
    `SELECT set_config('bellwether.audit_change', 'redact', true);
     UPDATE audit_entries SET after = '{"name": "else"}' WHERE sequence = 2`,
  );
  await client.end();
}

beforeAll(async () => {
  dataDir = preparedDataDir('bw-audit-');
  server = await startServer({ dataDir, env: { SECRETS_KEY } });
});
afterAll(async () => {
  await server.kill();
  rmSync(dataDir, { recursive: true });
});

describe('commands of the audit log beside a running server on the embedded database', () => {
  let head: string;

  it('verify the chain and print its end', async () => {
    const { code, json } = await run('audit:verify', '--json');
    expect({ code, json }).toMatchObject({ code: 0, json: { ok: true } });
    expect(json.organizations).toMatchObject([{ organization: 'default', intact: true, unsealed: 0, findings: [] }]);
    head = `${json.organizations[0].last_sequence}:${json.organizations[0].head}`;
    expect(json.organizations[0].last_sequence).toBeGreaterThan(1);
  });

  it('export a table for the owner of the file alone', async () => {
    const out = join(dataDir, 'audit.csv');
    const { code, json } = await run(
      'audit:export',
      '--org',
      'default',
      '--from',
      '2020-01-01',
      '--out',
      out,
      '--json',
    );
    expect({ code, json }).toMatchObject({ code: 0, json: { ok: true, file: out } });
    const rows = parse<Record<string, string>>(readFileSync(out, 'utf8'), { columns: true });
    expect(rows[0]).toMatchObject({ action: 'organization.create', actor_kind: 'system' });
    expect(statSync(out).mode & 0o077).toBe(0);
  });

  it('exit with 1 and name the entry that was changed', async () => {
    await tamper();
    const { code, out } = await run('audit:verify', '--org', 'default', '--head', head);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^default: NOT INTACT .*\n {2}The content of entry 2 was changed after it was sealed \([0-9a-f-]{36}\)\n/,
    );
    const doctor = await run('doctor', '--json');
    expect(doctor.json.audit_log).toMatchObject({ chains: 1, broken: 1 });
  });

  it.each([
    [['audit:verify', '--head', `1:${'0'.repeat(64)}`], '--head needs --org'],
    [['audit:verify', '--org', 'default', '--head', 'newest'], '--head must be'],
    [['audit:export', '--org', 'default', '--from', 'May', '--format', 'xml'], '--from must be'],
  ])('exit with 2 for bad usage: %j', async (args, expected) => {
    const { code, err } = await run(...args);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(expected) });
  });

  it('exit with 1 for an organization that does not exist, and for a noted end that is not in the log', async () => {
    const unknown = await run('audit:verify', '--org', 'nowhere');
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('not found') });
    const { code, out } = await run('audit:verify', '--org', 'default', '--head', `9999:${'0'.repeat(64)}`);
    expect(code).toBe(1);
    expect(out).toContain('The given head is entry 9999, but the chain ends at');
  });
});
