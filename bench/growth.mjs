// npm run bench:growth [-- --scale=1 --rounds=40 --runs-each=10]: the time of lists, searches, completions, retention
// and the start with 100, 10,000 and 100,000 assistants and ten runs of each, on a PostgreSQL server with row-level
// security.
// --scale=0.1 divides the larger sizes by ten, which takes a minute. BENCH_DATABASE_URL names an empty database.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { fill } from './growth/fill.mjs';
import { measure, WORKS } from './growth/measure.mjs';
import { startPostgres } from './growth/server.mjs';
import { describeMachine } from './lib/machine.mjs';
import { figure, plainTable } from './lib/report.mjs';
import { isBuilt } from './suts/bellwether.mjs';

const SIZES = [100, 10_000, 100_000];
const option = (name, otherwise) =>
  Number(process.argv.find((word) => word.startsWith(`--${name}=`))?.split('=')[1] ?? otherwise);
const scale = option('scale', 1);
const runsEach = option('runs-each', 10);
const rounds = option('rounds', 40);
const sizes = SIZES.map((size) => (size === SIZES[0] ? size : Math.round(size * scale)));

if (!isBuilt()) {
  console.error('not built: npm run build');
  process.exit(2);
}

const machine = describeMachine();
console.log(`${machine.cpu}, Node ${machine.node}, commit ${machine.commit}, load ${machine.loadAtStart}\n`);
const given = process.env.BENCH_DATABASE_URL;
const server = given ? { url: given, stop: () => undefined } : await startPostgres();
const dataDir = mkdtempSync(join(tmpdir(), 'bellwether-growth-data-'));
const client = new pg.Client({ connectionString: server.url });
try {
  const found = [];
  // The first start makes the schema and the organization.
  await measure({ url: server.url, dataDir, rounds: 0 });
  await client.connect();
  for (const [at, size] of sizes.entries()) {
    const state = await fill(client, size, { slug: 'default', runsEach, before: at === 0 ? 0 : sizes[at - 1] });
    console.error(`${figure(size)} assistants, ${figure(state.runs)} runs are there`);
    found.push(await measure({ url: server.url, dataDir, rounds, size, ...state }));
  }
  const cell = (work, n) => (found[n][work] ? `${figure(found[n][work].p50)} / ${figure(found[n][work].p95)}` : '–');
  const rows = WORKS.map((work) => [
    work,
    ...sizes.map((_, n) => cell(work, n)),
    figure(found.at(-1)[work].p50 / found[0][work].p50),
  ]);
  const head = ['p50 / p95 ms', ...sizes.map((size) => figure(size)), 'p50, last ÷ first'];
  console.log(plainTable(head, rows));
} finally {
  await client.end();
  server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
