import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { compile, compiledFile, SERVICE } from '../support/compiled';
import { openTestDatabase, resetDatabase, testDatabaseUrl } from '../support/database';
import { addOrganization } from '../support/run-process';
import { storeAssistants, storedDocuments } from '../support/stored-assistants';
import { until } from '../support/until';

const COUNT = 60;
const dataDir = mkdtempSync(join(tmpdir(), 'bw-migration-kill-'));
let db: DataSource;
beforeAll(async () => {
  compile(SERVICE);
  db = await openTestDatabase();
  await resetDatabase(db);
  await storeAssistants(db, COUNT, await addOrganization(db));
});
afterAll(async () => {
  await db.destroy();
  rmSync(dataDir, { recursive: true, force: true });
});

/** An operator command in a process of its own. */
function command(...args: readonly string[]): {
  child: ChildProcess;
  result: Promise<{ code: number | null; json: any }>;
} {
  const child = spawn(process.execPath, [compiledFile('src/cli.js'), ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, DATABASE_URL: testDatabaseUrl(), SECRETS_KEY: `t:${KEY}` },
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const result = once(child, 'close').then(([code]) => {
    const last = out.trim().split('\n').at(-1) ?? '';
    return { code: code as number | null, json: last === '' ? undefined : JSON.parse(last) };
  });
  return { child, result };
}

const KEY = randomBytes(32).toString('hex');
const progress = async (column: string): Promise<number> => {
  const [row] = await db.query<{ n: number }[]>(
    `SELECT ${column} AS n FROM migration_batches ORDER BY id DESC LIMIT 1`,
  );
  return row?.n ?? 0;
};

/** Begins and is killed as soon as so many assistants are through, wherever it is then; says how many were. */
async function killAt(column: string, count: number, ...args: readonly string[]): Promise<number> {
  const { child, result } = command(...args);
  // A command loads the application first.
  await until(async () => (await progress(column)) >= count || child.exitCode !== null, 120_000);
  child.kill('SIGKILL');
  expect(await result).toEqual({ code: null, json: undefined });
  return progress(column);
}

it('a migration and its rollback are killed, go on, and lose nothing', async () => {
  const before = await storedDocuments(db);
  const migrate = ['assistants:migrate', '--apply', '--batch-size', '1'];
  expect(await killAt('examined', 3, ...migrate)).toBeLessThan(COUNT);
  const done = await command(...migrate).result;
  expect(done).toMatchObject({ code: 0, json: { ok: true, migrated: COUNT, skipped: 0, failed: 0, examined: COUNT } });
  const batch: string = done.json.batch;
  const [written] = await db.query<[{ items: number; audits: number; versions: number }]>(`
    SELECT (SELECT count(*)::int FROM migration_items) AS items,
           (SELECT count(*)::int FROM audit_entries WHERE action = 'assistant.migrate') AS audits,
           (SELECT count(*)::int FROM assistant_versions) AS versions`);
  expect(written).toEqual({ items: COUNT, audits: COUNT, versions: 2 * COUNT });

  expect(await killAt('rolled_back', 3, 'assistants:rollback', batch)).toBeLessThan(COUNT);
  const last = await command('assistants:rollback', batch).result;
  expect(last).toMatchObject({ code: 0, json: { ok: true, rolled_back: COUNT } });
  expect(await storedDocuments(db)).toBe(before);
}, 300_000);
