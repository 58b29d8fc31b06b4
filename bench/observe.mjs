// npm run bench:observe [-- --reps=8 --seconds=4]: what metrics and traces cost a question, in turns in one run. The same
// build runs three times: without both, with metrics, and with metrics and traces to a backend that takes everything.
import { openBench } from './lib/bench.mjs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stop } from './lib/children.mjs';
import { cores, describeMachine } from './lib/machine.mjs';
import { meter } from './lib/meter.mjs';
import { bestRatio, overReps, paired } from './lib/pairs.mjs';
import { figure, plainTable, range } from './lib/report.mjs';
import { chatRequest, expected } from './lib/targets.mjs';
import { start } from './suts/bellwether.mjs';

const option = (name, otherwise) =>
  Number(process.argv.find((word) => word.startsWith(`--${name}=`))?.split('=')[1] ?? otherwise);
const reps = option('reps', 8);
const seconds = option('seconds', 4);
const CONNECTIONS = 16;

const METRICS = { METRICS_TOKEN: 'bench-token-of-thirty-two-characters' };
const VARIANTS = {
  off: () => ({}),
  metrics: () => METRICS,
  'metrics and traces': (upstream) => ({ ...METRICS, OTEL_EXPORTER_OTLP_ENDPOINT: upstream }),
};

const machine = describeMachine();
console.log(`${machine.cpu}, Node ${machine.node}, commit ${machine.commit}, load ${machine.loadAtStart}\n`);
const bench = await openBench({ mode: 'quick', servers: ['direct'] });
bench.begin('observe');
const scratch = mkdtempSync(join(tmpdir(), 'bellwether-bench-observe-'));
const servers = [];
try {
  for (const [name, env] of Object.entries(VARIANTS)) {
    const place = { upstream: bench.upstream, core: cores.server, scratch: join(scratch, String(servers.length)) };
    const { child, port, makeTargets } = await start({ ...place, env: env(bench.upstream) });
    servers.push({ name, child, port, targets: await makeTargets() });
  }
  for (const target of ['noop', 'tools']) await compare(target);
} finally {
  for (const { child } of servers) await stop(child);
  rmSync(scratch, { recursive: true, force: true });
  await bench.close();
}

async function compare(target) {
  const samples = Object.fromEntries(servers.map(({ name }) => [name, []]));
  for (const server of servers) await measure(server, target);
  for (let rep = 0; rep < reps; rep += 1) {
    const order = servers.map((_, at) => servers[(at + rep) % servers.length]);
    for (const server of order) samples[server.name].push(await measure(server, target));
  }
  const cpu = (sample) => sample.cpuUs;
  const rows = servers.map(({ name }) => [
    name,
    range(overReps(samples, name, cpu), 'µs'),
    figure(paired(samples, name, 'off', cpu).median),
    figure(bestRatio(samples, name, 'off', cpu)),
    range(
      overReps(samples, name, (sample) => sample.rssMb),
      'MB',
    ),
  ]);
  const title = { noop: 'one tool without I/O', tools: 'a knowledge base, a rubric and a file' }[target];
  console.log(`\n${title}\n`);
  console.log(plainTable(['', 'CPU a question', '÷ off, paired', '÷ off, least', 'memory'], rows));
}

async function measure({ child, port, targets }, target) {
  const spent = await meter(child.pid);
  const run = await bench.load('closedLoop', {
    port,
    request: chatRequest(port, targets[target]),
    expect: expected,
    connections: CONNECTIONS,
    seconds,
  });
  const { cpuMs, rssMb } = await spent.stop();
  if (run.errors > 0) return { void: run.firstError };
  return { cpuUs: (cpuMs * 1e3) / run.count, rssMb };
}
