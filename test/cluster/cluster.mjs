// Three processes of the service on one PostgreSQL server, behind nginx, under mixed load and faults. Exit code 1 if
// anything accepted is lost, doubled or stuck; docs/contributing/cluster.md describes the scenario.
//
//   npm run build && npm run test:cluster -- [--short | --minutes=10 | --soak] [--fault=frozen] [--pgbouncer]
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../bench/lib/children.mjs';
import { Client } from '../../bench/runs-faults/replica.mjs';
import { startVendor } from '../../bench/runs-faults/vendor.mjs';
import { isBuilt } from '../../bench/suts/bellwether.mjs';
import { check, endsOf } from './checks.mjs';
import { Ledger } from './ledger.mjs';
import { Load } from './load.mjs';
import { isInstalled, migrateToNext, startPostgres } from './postgres.mjs';
import { nginxPath, pgbouncerPath, startNginx, startPgbouncer, startRelay } from './proxies.mjs';
import { Replicas, unready } from './replicas.mjs';
import { Soak } from './soak.mjs';

const REPLICAS = 3;
const words = process.argv.slice(2);
const isShort = words.includes('--short');
/** The processes live on, and their memory and what they hold open is watched. */
const isSoak = words.includes('--soak');
const minutes = Number(words.find((word) => word.startsWith('--minutes='))?.split('=')[1] ?? (isSoak ? 30 : 5));
const SOAK_FAULT_MS = 60_000;
const SOAK_THINK_MS = [500, 2_000];
const allPooled = words.includes('--pgbouncer');
/** Part of the names of the faults to cause. Without it, a short run leaves out the one that a busy machine recovers from late. */
const wanted = words.find((word) => word.startsWith('--fault='))?.split('=')[1] ?? '';
const LATE = 'database read-only';
/** Requests of each kind that must succeed between two faults. */
const BETWEEN = isShort ? 1 : 5;
/** Answers that are lost at once: a few seconds of one replica's commits. */
const LOST_ANSWERS = 12;
/** Requests that a read-only database makes the replicas refuse: more than one client has asked. */
const REFUSED = 5;
const START_LIMIT_MS = 300_000;
/** Time limit from the moment when all are ready. When it is reached, the run prints what it waits for. */
const LIMIT_MS = isShort ? 300_000 : minutes * 60_000 + (isSoak ? 1_200_000 : 300_000);

function refuse(why) {
  console.error(why);
  process.exit(2);
}
const unknown = words.filter((word) => !/^--(short|soak|pgbouncer|fault=[a-z -]+|minutes=\d+(\.\d+)?)$/.test(word));
if (unknown.length > 0)
  refuse(`unknown: ${unknown.join(' ')}; known are --short, --soak, --minutes=5, --fault=frozen, --pgbouncer`);
if (!isBuilt()) refuse('not built: npm run build');
if (!isInstalled()) refuse('the programs of a PostgreSQL server are missing: .ci/system.sh');
if (nginxPath === undefined) refuse('nginx is missing: .ci/system.sh');
if (allPooled && pgbouncerPath === undefined) refuse('PgBouncer is missing: .ci/system.sh');

const begun = performance.now();
const elapsed = () => (performance.now() - begun) / 1_000;
const say = (text) => console.error(`${elapsed().toFixed(0).padStart(4)} s  ${text}`);

const parent = mkdtempSync(join(tmpdir(), 'bellwether-cluster-'));
// PostgreSQL and PgBouncer run as another user when this is root.
chmodSync(parent, 0o755);
const soak = isSoak ? new Soak(parent) : null;
if (soak !== null) mkdirSync(soak.temporary);
process.on('exit', () => rmSync(parent, { recursive: true, force: true }));
const ledger = new Ledger();
const { problems } = ledger;
const vendor = await startVendor();
const database = await startPostgres(parent);
const relay = await startRelay(database.port);
const pooler = pgbouncerPath === undefined ? null : await startPgbouncer(parent, database.port);
const ports = [];
while (ports.length < REPLICAS) ports.push(await freePort());
// Without --pgbouncer, only the last replica goes through the pooler.
const isPooled = (n) => pooler !== null && (allPooled || n === REPLICAS - 1);
const settings = ports.map((port, n) => ({
  port,
  dataDir: parent,
  // The first replica's answers can be lost.
  databaseUrl: isPooled(n) ? pooler.url : n === 0 ? relay.url : database.url,
  env: {
    // The path tells the vendor which process asks.
    OPENAI_BASE_URL: vendor.url.replace('/v1', `/${n}/v1`),
    RUN_CONCURRENCY: '16',
    SHUTDOWN_TIMEOUT: '10000',
    ...soak?.env,
    ...(isPooled(n) ? { DATABASE_SESSION_URL: database.url } : {}),
  },
}));
const replicas = new Replicas(settings, problems);
const rows = [];
let load = null;

const endAfter = (limitMs) =>
  setTimeout(() => {
    for (const what of load?.waiting.values() ?? []) problems.add(`stuck: ${what}`);
    problems.add(`not done in ${limitMs / 1_000} s`);
    report();
    process.exit(1);
  }, limitMs).unref();
const startLimit = endAfter(START_LIMIT_MS);

/** Names of the background runs that a process has in flight. */
const inFlight = (n) =>
  [...vendor.calls]
    .filter(([name, { open, path }]) => open && name.startsWith('run') && path.startsWith(`/${n}/`))
    .map(([name]) => name);

/** The process with most background runs in flight, as soon as one has two. */
async function busiest() {
  for (;;) {
    const counts = ports.map((_, n) => inFlight(n).length);
    const most = Math.max(...counts);
    if (most >= 2) return counts.indexOf(most);
    await sleep(10);
  }
}

/** The other processes have ended the runs that this one had begun. */
async function takenOver(n) {
  const names = inFlight(n);
  const ids = () => ledger.runs.filter(({ name }) => names.includes(name)).map(({ id }) => id);
  const going = `SELECT FROM runs WHERE id = ANY($1) AND status IN ('queued', 'running')`;
  while ((await database.query(going, [ids()])).length > 0) await sleep(50);
}

const FAULTS = {
  // First: the replicas that start after it are of the older build.
  'newer build migrates': () => migrateToNext(database),
  'process killed': async () => replicas.kill(await busiest()),
  'process restarted': async () => replicas.restart(await busiest()),
  'process frozen': async () => {
    const n = await busiest();
    return `its runs were ended by others in ${await replicas.freeze(n, () => takenOver(n))}, all ready ${await replicas.recovered()} later`;
  },
  [LATE]: async () => {
    const told = ledger.repeated.get('503') ?? 0;
    await database.readOnly(true);
    await unready(replicas.list);
    while ((ledger.repeated.get('503') ?? 0) < told + REFUSED) await sleep(50);
    await database.readOnly(false);
    return `all unready, ${REFUSED} requests refused, all ready ${await replicas.recovered()} later`;
  },
  'database restarted': async () => {
    await database.restart();
    return `all ready ${await replicas.recovered()} later`;
  },
  'connections cut': async () => {
    const count = await database.cut();
    return `${count} connections, all ready ${await replicas.recovered()} later`;
  },
  'answers lost': async () => {
    await relay.lose(LOST_ANSWERS);
    return `${LOST_ANSWERS} answers of the database, all ready ${await replicas.recovered()} later`;
  },
};

async function fault(name) {
  const figures = await FAULTS[name]();
  rows.push([name, figures]);
  say(`${name}: ${figures}`);
  await ledger.advanced(BETWEEN);
}

async function faults() {
  const names = Object.keys(FAULTS).filter((name) =>
    wanted === '' ? !isShort || name !== LATE : name.includes(wanted),
  );
  if (names.length === 0) throw new Error(`no fault is named ${wanted}: ${Object.keys(FAULTS).join(', ')}`);
  if (isSoak) return soakFaults();
  await ledger.advanced(BETWEEN);
  for (const name of names) await fault(name);
  while (!isShort && elapsed() < minutes * 60) await fault(names[Math.floor(Math.random() * names.length)]);
}

async function soakFaults() {
  const names = ['connections cut', 'database restarted'];
  for (let n = 0; elapsed() < minutes * 60; n += 1) {
    await sleep(SOAK_FAULT_MS);
    await fault(names[n % names.length]);
  }
}

function report() {
  const pooled = settings.filter((_, n) => isPooled(n)).length;
  const { accepted, repeated } = ledger;
  const list = (entries) => [...entries].map(([what, count]) => `${count} ${what}`).join(', ');
  const lines = [
    ['| what happened | |', '| --- | --- |'],
    rows.map(([name, figures]) => `| ${name} | ${figures} |`),
    [`| accepted | ${list(Object.entries(accepted))} |`, `| ends of runs | ${list(endsOf(ledger))} |`],
    [`| sent again | ${list(repeated) || 'nothing'} |`],
  ];
  console.log(
    `${REPLICAS} processes, ${pooled} through PgBouncer, ${elapsed().toFixed(0)} s\n\n${lines.flat().join('\n')}\n`,
  );
  for (const problem of problems) console.log(`FAILED ${problem}`);
  console.log(problems.size === 0 ? 'Nothing is lost, doubled or stuck.' : `${problems.size} problems`);
}

await replicas.start();
const nginx = await startNginx(parent, ports);
load = new Load(new Client(nginx.url), ledger, isSoak ? SOAK_THINK_MS : undefined);
await load.prepare();
say(`${REPLICAS} processes are ready`);
clearTimeout(startLimit);
endAfter(LIMIT_MS);
await soak?.begin(replicas.list);
load.begin();
await faults();
await load.end();
say('no request is open');
if (soak !== null) rows.push(...(await soak.end(problems)));
await check({ ledger, load, replicas: replicas.list, vendor, database });
say('checked');
await replicas.stop();
await nginx.stop();
await pooler?.stop();
relay.stop();
await database.stop();
vendor.stop();
report();
process.exit(problems.size === 0 ? 0 : 1);
