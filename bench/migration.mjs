// Many assistants of mixed shapes are migrated, once undisturbed and once killed again and again, verified and rolled
// back. Exit code 1 when a document differs, an assistant is lost or doubled, or the goal of bench/goals.json is missed.
//
//   npm run build && node bench/migration.mjs [--assistants=10000] [--kills=20] [--batch-size=100] [--heap-mb=128]
//
// BENCH_DATABASE_URL: an empty PostgreSQL database of its own; the embedded engine in a temporary folder otherwise, which
// dies with every kill.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from './migration/store.mjs';
import { startCommand } from './migration/command.mjs';
import { isBuilt } from './suts/bellwether.mjs';

const GOAL_SECONDS = 60;
const option = (name, fallback) =>
  Number(process.argv.find((each) => each.startsWith(`--${name}=`))?.split('=')[1] ?? fallback);
const COUNT = option('assistants', 10_000);
const KILLS = option('kills', 20);
const BATCH = option('batch-size', 100);

if (!isBuilt()) {
  console.error('not built: npm run build');
  process.exit(2);
}

const dataDir = mkdtempSync(join(tmpdir(), 'bellwether-migration-'));
const databaseUrl = process.env.BENCH_DATABASE_URL;
const problems = [];
const command = (...args) => startCommand({ dataDir, databaseUrl }, args);
const store = (work) => openStore({ dataDir, databaseUrl }, work);
const must = (holds, message) => holds || problems.push(message);
const seconds = (ms) => (ms / 1_000).toFixed(1);
const megabytes = (kb) => Math.round(kb / 1024);
const MIGRATE = ['assistants:migrate', '--apply', `--batch-size=${BATCH}`];

/** A command to its end; its figures come from its last line. */
async function run(...args) {
  const { code, json, ...figures } = await command(...args).ended;
  must(code === 0, `${args.join(' ')}: exit code ${code}: ${JSON.stringify(json)?.slice(0, 400)}`);
  return { json, ...figures };
}

/** Resident memory over the command's time, in tenths of it. */
function memory(rss) {
  const tenths = Array.from({ length: 10 }, (_, n) => rss.slice((n * rss.length) / 10, ((n + 1) * rss.length) / 10));
  return tenths.map((part) => megabytes(Math.max(0, ...part))).join(' ');
}

function told(what, { ms, busyMs, cpu, rss }, count) {
  const rate = Math.round(count / (busyMs / 1_000));
  console.log(
    `| ${what} | ${seconds(ms)} s in all, ${seconds(busyMs)} s at work, ${cpu.toFixed(1)} s of computing | ${rate}/s | peak ${megabytes(Math.max(...rss))} MB; ${memory(rss)} |`,
  );
}

/** Every assistant of a batch has one item, one new version and one entry of the audit, and no more. */
async function checkBatch(what, batch) {
  const { items, versions, entries } = await store((db) => db.countsOf(batch));
  must(
    items === COUNT && versions === COUNT && entries === COUNT,
    `${what}: ${items} items, ${versions} versions, ${entries} entries of ${COUNT}`,
  );
}

/** Applies or rolls back, killed at random moments until `kills` are reached or it is through; says how often it was. */
async function killed(args, kills, { ms, busyMs }) {
  const startMs = ms - busyMs;
  for (let n = 0; n < kills; n += 1) {
    const started = command(...args);
    // Every fifth dies while it starts, the others at work.
    const delay = n % 5 === 4 ? Math.random() * startMs : startMs + (Math.random() * 1.4 * busyMs) / kills;
    const timer = setTimeout(() => started.kill(), delay);
    const { signal } = await started.ended;
    clearTimeout(timer);
    if (signal !== 'SIGKILL') return n;
  }
  return kills;
}

try {
  await run('db:migrate');
  await run('organizations:create', '--slug=bench', '--name=Bench', '--owner-email=bench@example.edu');
  await store((db) => db.fill(COUNT, 'bench'));
  const before = await store((db) => db.digest());
  console.log(`${COUNT} assistants, batches of ${BATCH}, ${databaseUrl ? 'server' : 'embedded engine'}\n`);
  console.log('| | time | rate | resident memory by tenths of the time |');
  console.log('|---|---|---|---|');

  const first = await run(...MIGRATE);
  told('migrate', first, COUNT);
  must(
    first.json?.migrated === COUNT,
    `migrated ${first.json?.migrated} of ${COUNT}: ${JSON.stringify(first.json?.failures?.[0])}`,
  );
  await checkBatch('undisturbed', first.json?.batch);
  const migratedDigest = await store((db) => db.digest());
  must(migratedDigest !== before, 'nothing was changed');
  told('verify', await run('assistants:verify', first.json.batch), COUNT);
  const back = await run('assistants:rollback', first.json.batch);
  told('roll back', back, COUNT);
  must((await store((db) => db.digest())) === before, 'the rollback is not exact');

  const kills = await killed(MIGRATE, KILLS, first);
  // It may have been through before its last kill; and killed too early every time, it has no batch yet.
  const last = await store((db) => db.lastBatch());
  const isDone = last.batch !== first.json.batch && last.state === 'done';
  const batch = isDone ? last.batch : (await run(...MIGRATE)).json?.batch;
  must((await store((db) => db.digest())) === migratedDigest, 'killed and resumed, other documents were written');
  await checkBatch('killed', batch);
  const verified = await run('assistants:verify', batch);
  must(verified.json?.result?.sound === COUNT, `verify: ${JSON.stringify(verified.json).slice(0, 400)}`);
  const backKills = await killed(['assistants:rollback', batch], Math.ceil(KILLS / 4), back);
  if ((await store((db) => db.lastBatch())).state !== 'rolled_back') await run('assistants:rollback', batch);
  must((await store((db) => db.digest())) === before, 'the rollback after kills is not exact');
  console.log(
    `\nkilled ${kills} times while migrating and ${backKills} times while rolling back; byte-identical to the start`,
  );

  const goal = (GOAL_SECONDS * COUNT) / 10_000;
  must(first.busyMs / 1_000 <= goal, `goal: ${COUNT} in ${goal} s, took ${seconds(first.busyMs)} s`);
  console.log(`goal: ${COUNT} in ≤ ${goal} s; took ${((first.busyMs / 1_000 / goal) * 100).toFixed(0)} % of it`);
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
for (const problem of problems) console.log(`NOT MET: ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);
