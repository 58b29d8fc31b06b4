import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { compile, compiledFile } from '../support/compiled';
import { openTestDatabase, resetDatabase, testDatabaseUrl } from '../support/database';
import { addOrganization } from '../support/run-process';
import { storeAssistants, storedDocuments } from '../support/stored-assistants';
import { until } from '../support/until';

const COUNT = 60;
const dataDir = mkdtempSync(join(tmpdir(), 'bw-migration-kill-'));
let db: DataSource;
beforeAll(async () => {
  compile(['src', 'migrations']);
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

/** Begins and is killed as soon as so many assistants are through, wherever it is then. */
async function killAt(column: string, count: number, ...args: readonly string[]): Promise<void> {
  const { child, result } = command(...args);
  await until(async () => (await progress(column)) >= count, 60_000);
  child.kill('SIGKILL');
  await result;
}

it('a migration and its rollback are killed, go on, and lose nothing', async () => {
  const before = await storedDocuments(db);
  const migrate = ['assistants:migrate', '--apply', '--batch-size', '2'];
  await killAt('examined', 6, ...migrate);
  const reached = await progress('examined');
  expect(reached).toBeLessThan(COUNT);
  const done = await command(...migrate).result;
  expect(done).toMatchObject({ code: 0, json: { ok: true, migrated: COUNT, skipped: 0, failed: 0, examined: COUNT } });
  const batch: string = done.json.batch;
  const [written] = await db.query<[{ items: number; audits: number; versions: number }]>(`
    SELECT (SELECT count(*)::int FROM migration_items) AS items,
           (SELECT count(*)::int FROM audit_entries WHERE action = 'assistant.migrate') AS audits,
           (SELECT count(*)::int FROM assistant_versions) AS versions`);
  expect(written).toEqual({ items: COUNT, audits: COUNT, versions: 2 * COUNT });

  const { child, result } = command('assistants:rollback', batch);
  await until(async () => (await progress('rolled_back')) > 0 || child.exitCode !== null, 60_000);
  child.kill('SIGKILL');
  await result;
  const last = await command('assistants:rollback', batch).result;
  expect(last.code === 0 || /nothing to roll back/.test(last.json.error)).toBe(true);
  expect(await storedDocuments(db)).toBe(before);
}, 120_000);

it('a migration is either tried or done', async () => {
  const { code, json } = await command('assistants:migrate', '--apply', '--dry-run').result;
  expect([code, json.ok, json.error]).toEqual([2, false, expect.stringContaining('--dry-run')]);
}, 60_000);
