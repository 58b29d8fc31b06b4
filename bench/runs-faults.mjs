// Background runs through what may happen to them, in numbers: no run stays open, no event is lost or doubled, and the
// vendor's connections are closed within 250 ms of a cancel. Exit code 1 when one of these does not hold.
//
//   npm run build && node bench/runs-faults.mjs [--runs=100] [--rounds=5]
//
// BENCH_DATABASE_URL: a PostgreSQL database of its own; then two processes share it, and its connections are cut, too.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from './lib/stats.mjs';
import { isBuilt } from './suts/bellwether.mjs';
import { startRelay } from './runs-faults/relay.mjs';
import { flawsOf, readThrough, saidIn, startReplica, typeOf } from './runs-faults/replica.mjs';
import { answerOf, question, startHanging, startVendor } from './runs-faults/vendor.mjs';

const CANCEL_LIMIT_MS = 250;
const option = (name, fallback) =>
  Number(process.argv.find((each) => each.startsWith(`--${name}=`))?.split('=')[1] ?? fallback);
const RUNS = option('runs', 100);
const ROUNDS = option('rounds', 5);
const PER_ROUND = 20;

if (!isBuilt()) {
  console.error('not built: npm run build');
  process.exit(2);
}

const dataDir = mkdtempSync(join(tmpdir(), 'bellwether-run-faults-'));
const vendor = await startVendor();
const hanging = await startHanging();
const external = process.env.BENCH_DATABASE_URL;
const relay = external ? await startRelay(external) : null;
const boot = (name) =>
  startReplica({ dataDir, name, databaseUrl: relay?.url, env: { OPENAI_BASE_URL: vendor.url, RUN_CONCURRENCY: '40' } });
const replicas = [await boot('one')];
if (relay) replicas.push(await boot('two'));
const any = () => replicas[Math.floor(Math.random() * replicas.length)];
const problems = [];
const rows = [];
let serial = 0;

const assistant = async (more) => {
  const metadata = { connector: 'openai', llm: 'gpt-4o-mini', ...more?.metadata };
  const body = { name: `Faults ${(serial += 1)}`, prompt_template: '{user_input}', ...more, metadata };
  return (await replicas[0].made('POST', '/api/v1/assistants', body)).id;
};
const plain = await assistant();
await replicas[0].made('PATCH', '/api/v1/organizations/default', {
  knowledge_base: { server_url: hanging.url, api_token: 't' },
});
const tool = { plugin: 'simple_rag', placeholder: '1_context', enabled: true, cache: false, retries: 0 };
const withTool = await assistant({
  prompt_template: '{1_context}{user_input}',
  metadata: {
    assistant_type: 'multi_tool',
    orchestrator: 'parallel',
    tools: [{ ...tool, timeout_ms: 500, config: { collections: ['x'] } }],
  },
});

/** Begins runs, each with a reader somewhere; `done` gives what they read, however often they had to ask again. */
async function begin(count, shape, id = plain) {
  const runs = [];
  while (runs.length < count) {
    const names = Array.from({ length: Math.min(10, count - runs.length) }, () => `run${(serial += 1)}`);
    runs.push(
      ...(await Promise.all(names.map(async (name) => ({ name, id: await any().begin(id, question(name, shape)) })))),
    );
  }
  const reading = runs.map((run) => readThrough(any, run.id));
  return { runs, done: async () => Promise.all(reading) };
}

/** Checks whole logs, each against its replay by every process and against the record. */
async function check(scenario, { runs, done }, expected) {
  const logs = await done();
  const ends = new Map();
  for (const [n, { id }] of runs.entries()) {
    const frames = logs[n];
    const end = typeOf(frames.at(-1) ?? '');
    ends.set(end, (ends.get(end) ?? 0) + 1);
    for (const flaw of flawsOf(frames)) problems.push(`${scenario}: ${id}: ${flaw}`);
    if (!expected.includes(end)) problems.push(`${scenario}: ${id} ended with ${frames.at(-1)?.split('\n')[2]}`);
    for (const replica of replicas) {
      const again = await replica.frames(id);
      if (again.frames.join() !== frames.join()) problems.push(`${scenario}: ${id}: a replay differs`);
    }
    const { json } = await any().call('GET', `/api/v1/runs/${id}`);
    if (`run.${json.status}` !== end) problems.push(`${scenario}: ${id}: the record says ${json.status}`);
  }
  for (const status of ['running', 'queued']) {
    const { total } = await any().made('GET', `/api/v1/runs?status=${status}&limit=1`);
    if (total > 0) problems.push(`${scenario}: ${total} runs are still ${status}`);
  }
  for (const deadline = performance.now() + 2_000; vendor.open > 0 && performance.now() < deadline;) await sleep(10);
  if (vendor.open > 0) problems.push(`${scenario}: ${vendor.open} connections to the vendor are open`);
  return { logs, ends: [...ends].map(([end, count]) => `${count} ${end}`).join(', ') };
}

const told = (scenario, runs, ends, figures = '') => {
  rows.push(`| ${scenario} | ${runs} | ${ends} | ${figures} |`);
  console.error(rows.at(-1));
};

/**
 * Runs begin and are cancelled at random moments, with moderate answers: the question is how soon a cancel arrives, not
 * what a machine does that is busy with beginning a hundred runs at once.
 */
async function cancels(count) {
  const took = [];
  const logs = [];
  const runs = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      await sleep(Math.random() * 50 * count);
      const { runs, done } = await begin(1, { words: 500, delay: 100 });
      const [{ id, name }] = runs;
      await sleep(Math.random() * 2_000);
      const wasOpen = vendor.calls.get(name)?.open === true;
      const asked = performance.now();
      await any().made('POST', `/api/v1/runs/${id}/cancel`);
      while (wasOpen && vendor.calls.get(name).open && performance.now() - asked < 5_000) await sleep(1);
      if (wasOpen) took.push((vendor.calls.get(name).closedAt ?? Infinity) - asked);
      [logs[n]] = await done();
      return { id };
    }),
  );
  const started = { runs, done: () => logs };
  const { ends } = await check('cancelled', started, ['run.cancelled']);
  if (count < RUNS) return;
  const late = took.filter((ms) => ms > CANCEL_LIMIT_MS).length;
  if (late > 0)
    problems.push(`cancelled: ${late} of ${took.length} connections were closed later than ${CANCEL_LIMIT_MS} ms`);
  const [p50, p99] = [0.5, 0.99].map((q) => quantile(took, q).toFixed(0));
  told(
    'cancelled at random moments',
    count,
    ends,
    `${took.length} open connections closed after p50 ${p50}, p99 ${p99}, at most ${Math.max(...took).toFixed(0)} ms`,
  );
}

async function kills() {
  const totals = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = await begin(PER_ROUND, { words: 100, delay: 20 });
    await sleep(Math.random() * 2_000);
    const victim = Math.floor(Math.random() * replicas.length);
    await replicas[victim].kill();
    replicas[victim] = await boot(victim === 0 ? 'one' : 'two');
    const { logs, ends } = await check('killed', started, ['run.completed', 'run.failed']);
    for (const frames of logs) {
      if (typeOf(frames.at(-1) ?? '') !== 'run.completed') continue;
      if (saidIn(frames) !== answerOf(100)) problems.push('killed: a completed run has lost words');
    }
    totals.push(ends);
  }
  told(`process killed, ${ROUNDS} times`, ROUNDS * PER_ROUND, totals.join(' · '));
}

async function outages() {
  if (relay === null) return;
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = await begin(PER_ROUND, { words: 100, delay: 20 });
    await sleep(Math.random() * 1_500);
    await relay.close();
    await sleep(500 + Math.random() * 2_000);
    await relay.open();
    const { logs } = await check('database away', started, ['run.completed']);
    if (logs.some((frames) => saidIn(frames) !== answerOf(100))) problems.push('database away: words were lost');
  }
  told(`database away for 0.5 to 2.5 s, ${ROUNDS} times`, ROUNDS * PER_ROUND, 'all run.completed');
}

async function hangs() {
  const begun = performance.now();
  const started = await begin(PER_ROUND, { words: 10, delay: 0 }, withTool);
  const { ends } = await check('tool hangs', started, ['run.completed']);
  told(
    'a tool hangs (limit 500 ms)',
    PER_ROUND,
    ends,
    `all within ${((performance.now() - begun) / 1_000).toFixed(1)} s`,
  );
}

try {
  // Once before it counts: processes that have just started are slow.
  await cancels(Math.min(20, RUNS - 1));
  await cancels(RUNS);
  await hangs();
  await outages();
  await kills();
} finally {
  for (const replica of replicas) await replica.stop();
  await relay?.close();
  vendor.stop();
  hanging.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
console.log(`${replicas.length} processes, ${external ? 'PostgreSQL server' : 'embedded database'}\n`);
console.log(['| what happens | runs | ends | |', '| --- | --- | --- | --- |', ...rows].join('\n'));
for (const problem of problems) console.log(`FAILED ${problem}`);
console.log(problems.length === 0 ? '\nNo run is open, no event lost or doubled.' : `\n${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
