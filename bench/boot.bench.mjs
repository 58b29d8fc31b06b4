// P21: from spawning the service to its first 200, and what it weighs once it is idle.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './lib/built.mjs';
import { environment, isBuilt, main } from './suts/bellwether.mjs';
import { freePort, startNode, stop, until200 } from './lib/children.mjs';
import { rssKb } from './lib/meter.mjs';
import { interleave, voids } from './lib/runner.mjs';
import { overReps } from './lib/pairs.mjs';
import { plainTable, range } from './lib/report.mjs';

const IDLE_MS = 2000;
const external = process.env.BENCH_DATABASE_URL;

export async function run(bench) {
  if (!isBuilt()) throw new Error('not built: npm run build');
  const existing = mkdtempSync(join(tmpdir(), 'bellwether-bench-data-'));
  try {
    await boot(bench, { dataDir: existing, databaseUrl: null });
    const samples = await interleave({
      bench,
      names: ['fresh', 'existing', ...(external ? ['external'] : [])],
      reps: bench.scale.reps,
      extra: 0,
      measure: (name) => measure(bench, name, existing),
    });
    return { results: results(samples), samples, text: table(samples), voids: voids(samples) };
  } finally {
    rmSync(existing, { recursive: true, force: true });
  }
}

async function measure(bench, name, existing) {
  if (name === 'existing') return boot(bench, { dataDir: existing, databaseUrl: null });
  const dataDir = mkdtempSync(join(tmpdir(), 'bellwether-bench-data-'));
  try {
    return await boot(bench, { dataDir, databaseUrl: name === 'external' ? external : null });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

// The script behind `npm start`, without npm itself: its own start is the same for every program.
async function boot(bench, { dataDir, databaseUrl }) {
  const port = await freePort();
  const from = performance.now();
  const child = startNode(main, {
    cwd: root,
    env: environment({ port, dataDir, upstream: bench.upstream, databaseUrl }),
  });
  try {
    const readyMs = await until200(`http://127.0.0.1:${port}/health/ready`, child, {
      limitMs: 120_000,
      everyMs: 10,
      from,
    });
    await sleep(IDLE_MS);
    return { seconds: readyMs / 1e3, rssMb: rssKb(child.pid) / 1024 };
  } finally {
    await stop(child, 10_000);
  }
}

function results(samples) {
  const entry = (name, read, unit) => {
    const ours = overReps(samples, name, read);
    const why = name === 'external' && !external ? 'BENCH_DATABASE_URL is not set' : undefined;
    return { value: ours.median, ours, unit, why };
  };
  const seconds = (sample) => sample.seconds;
  const memory = (sample) => sample.rssMb;
  return {
    'boot.external': entry('external', seconds, 's'),
    'boot.existing': entry('existing', seconds, 's'),
    'boot.fresh': entry('fresh', seconds, 's'),
    'boot.externalRss': entry('external', memory, 'MB'),
    'boot.existingRss': entry('existing', memory, 'MB'),
  };
}

function table(samples) {
  return plainTable(
    ['boot', 'seconds to the first 200', 'idle RSS MB'],
    Object.keys(samples).map((name) => [
      name,
      range(overReps(samples, name, (sample) => sample.seconds)),
      range(overReps(samples, name, (sample) => sample.rssMb)),
    ]),
  );
}
