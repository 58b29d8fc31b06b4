import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { runCommand, startCommand } from '../support/command';
import { openTestDatabase, resetDatabase, testDatabaseUrl } from '../support/database';
import { until } from '../support/until';

const RUNS = 3_000;
const dataDir = mkdtempSync(join(tmpdir(), 'bw-erasure-kill-'));
const env = { DATA_DIR: dataDir, DATABASE_URL: testDatabaseUrl(), SECRETS_KEY: `t:${randomBytes(32).toString('hex')}` };
let db: DataSource;
beforeAll(async () => {
  db = await openTestDatabase();
  await resetDatabase(db);
});
afterAll(async () => {
  await db.destroy();
  rmSync(dataDir, { recursive: true, force: true });
});

const PEOPLE = [
  ['ada@example.edu', 'teacher'],
  ['dean@example.edu', 'owner'],
] as const;

const FILL = `
  INSERT INTO runs (id, organization_id, user_id, assistant_id, assistant_name, assistant_type, stream, status, created_at,
                    tools, sources, events)
  SELECT gen_random_uuid(), $1, $2, 1, 'A', 'classic', false, 'completed', now(), '[]', '[]', '[{"text": "canary"}]'
  FROM generate_series(1, ${RUNS})`;

it('an erasure that is killed goes on, counts every row once and leaves nothing', async () => {
  const organizationId = randomUUID();
  await db.query(`INSERT INTO organizations (id, slug, name) VALUES ($1, 'physics', 'Physics')`, [organizationId]);
  const ids: string[] = [];
  for (const [email, role] of PEOPLE) {
    const id = randomUUID();
    ids.push(id);
    await db.query('INSERT INTO users (id, email) VALUES ($1, $2)', [id, email]);
    await db.query(
      `INSERT INTO members (organization_id, user_id, name, role, disabled, updated_at)
       VALUES ($1, $2, 'Somebody', $3, $4, now() - interval '1 hour')`,
      [organizationId, id, role, role === 'teacher'],
    );
  }
  await db.query(FILL, [organizationId, ids[0]]);
  const erase = ['people:erase', 'ada@example.edu', '--org', 'physics', '--json'];
  const erased = async (): Promise<number> => {
    const sql = `SELECT (counts #>> '{anonymised,runs}')::int AS n FROM erasure_requests`;
    return (await db.query<{ n: number | null }[]>(sql))[0]?.n ?? 0;
  };

  const first = startCommand(env, ...erase);
  await until(async () => (await erased()) > 0 || first.child.exitCode !== null, 60_000);
  first.child.kill('SIGKILL');
  await first.ended;
  const halfway = await erased();
  expect(halfway).toBeGreaterThan(0);
  expect(halfway).toBeLessThan(RUNS);
  // The lease of the dead process ends early here.
  await db.query(`UPDATE erasure_requests SET lease_until = now() - interval '1 second'`);

  const second = await runCommand(env, ...erase);
  expect(second).toMatchObject({ code: 0, json: { ok: true, state: 'done' } });
  expect(second.json.report.counts).toMatchObject({ anonymised: { runs: RUNS }, deleted: { account: 2 } });
  expect(await db.query(`SELECT 1 FROM runs WHERE events::text LIKE '%canary%'`)).toEqual([]);
  expect(await db.query('SELECT email FROM users')).toEqual([{ email: 'dean@example.edu' }]);
}, 180_000);
