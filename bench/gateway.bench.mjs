// P1-P4: what a non-streamed answer costs on the way through a server.
import { canCount } from './lib/machine.mjs';
import { meter } from './lib/meter.mjs';
import { headline } from './lib/fleet.mjs';
import { checkHeadroom, interleave, voids } from './lib/runner.mjs';
import { added, bestRatio, least, overReps, paired } from './lib/pairs.mjs';
import { figure, limitText, peerText, plainTable, range } from './lib/report.mjs';
import { chatRequest, expected } from './lib/targets.mjs';

export const usesFleet = true;

export async function run(bench) {
  const servers = new Map((await bench.fleet()).map((server) => [server.name, { server, target: headline(server) }]));
  if (bench.scale.variants) addVariants(servers);
  const names = [...servers.keys()];
  for (const name of names) await bench.warm(name, () => warm(bench, servers.get(name), name.includes('/') ? 3 : 1));

  const closed = await interleave({
    bench,
    names,
    reps: bench.scale.reps,
    measure: (name) => closedLoop(bench, servers.get(name)),
    // The bare proxy is a yardstick for cost, not for rate: it may use all that the load generator has.
    check: (round) =>
      checkHeadroom(
        round,
        (sample) => sample.rps,
        names.filter((name) => name !== 'direct' && name !== 'nodepipe'),
      ),
  });
  const open = await interleave({
    bench,
    names: bench.scale.openSeconds > 0 ? names.filter((name) => !name.includes('/')) : [],
    reps: bench.scale.reps,
    measure: (name) => openLoop(bench, servers.get(name)),
  });
  return {
    results: { ...closedResults(closed), ...openResults(open) },
    samples: { closed, open },
    text: table(closed, open),
    voids: [...voids(closed), ...voids(open)],
  };
}

/** The same door with three real tools and with a classic assistant, for the reader; the goals speak of no-op tools. */
function addVariants(servers) {
  const ours = servers.get('bellwether')?.server;
  for (const name of ['tools', 'classic']) {
    if (ours?.targets[name]) servers.set(`bellwether/${name}`, { server: ours, target: ours.targets[name] });
  }
}

// A variant's server is warm already; only its own code is new.
function warm({ load, mock, scale }, { server, target }, share) {
  return mock('mode', {}).then(() =>
    load('closedLoop', {
      port: server.port,
      request: chatRequest(server.port, target),
      expect: expected,
      connections: scale.connections,
      seconds: scale.warmSeconds / share,
      limit: scale.warmRequests / share,
    }),
  );
}

async function closedLoop({ load, mock, scale }, { server, target }) {
  await mock('mode', {});
  const spent = await meter(server.pid);
  const run = await load('closedLoop', {
    port: server.port,
    request: chatRequest(server.port, target),
    expect: expected,
    connections: scale.connections,
    seconds: scale.closedSeconds,
  });
  const { cpuMs, instructions, rssMb } = await spent.stop();
  return {
    ...run,
    cpuUs: (cpuMs * 1e3) / run.count,
    kInstructions: instructions / run.count / 1e3,
    rssMb,
    fault: run.errors > 0 ? `${run.errors} errors, first: ${run.firstError}` : undefined,
  };
}

async function openLoop({ load, mock, scale }, { server, target }) {
  await mock('mode', { delayMs: 20 });
  const run = await load('openLoop', {
    port: server.port,
    request: chatRequest(server.port, target),
    expect: expected,
    rate: scale.openRate,
    seconds: scale.openSeconds,
  });
  return { ...run, fault: run.errors > 0 ? `${run.errors} errors, first: ${run.firstError}` : undefined };
}

const cost = (sample) => (canCount ? sample.kInstructions : sample.cpuUs);
const costUnit = canCount ? 'k instr' : 'µs CPU';
const costNote = canCount ? undefined : 'by CPU time: no instruction counter here';

function closedResults(samples) {
  const of = (name, read) => overReps(samples, name, read);
  const rps = paired(samples, 'bellwether', 'portkey', (sample) => sample.rps);
  const costs = {
    ours: of('bellwether', cost),
    unit: costUnit,
    note: costNote,
    limit: limitText(undefined, of('nodepipe', cost), costUnit),
    peer: peerText('portkey', of('portkey', cost), costUnit),
    vsNodepipe: paired(samples, 'bellwether', 'nodepipe', cost),
    vsPeer: paired(samples, 'bellwether', 'portkey', cost),
  };
  return {
    'gateway.rps.portkey': {
      value: rps.median,
      ours: of('bellwether', (sample) => sample.rps),
      unit: 'rps',
      limit: limitText(
        of('direct', (sample) => sample.rps),
        of('nodepipe', (sample) => sample.rps),
      ),
      peer: peerText(
        'portkey',
        of('portkey', (sample) => sample.rps),
      ),
      vsNodepipe: paired(samples, 'bellwether', 'nodepipe', (sample) => sample.rps),
      vsPeer: rps,
    },
    'gateway.cost.nodepipe': { ...costs, value: bestRatio(samples, 'bellwether', 'nodepipe', cost) },
    'gateway.cost.portkey': { ...costs, value: bestRatio(samples, 'bellwether', 'portkey', cost) },
  };
}

function openResults(samples) {
  const results = {};
  for (const [key, read] of [
    ['P50', (sample) => sample.p50],
    ['P99', (sample) => sample.p99],
  ]) {
    const extra = added(samples, read);
    const value = (sample) => sample.added;
    const of = (name) => overReps(extra, name, value);
    const shared = {
      ours: of('bellwether'),
      unit: 'ms',
      limit: limitText(overReps(samples, 'direct', read), of('nodepipe'), 'ms'),
      peer: peerText('portkey', of('portkey'), 'ms'),
      vsNodepipe: paired(extra, 'bellwether', 'nodepipe', value),
      vsPeer: paired(extra, 'bellwether', 'portkey', value),
    };
    // What a server adds is near the clock's noise for the bare proxy: medians divide better than single repetitions.
    results[`gateway.added${key}.portkey`] = { ...shared, value: of('bellwether').median / of('portkey').median };
    results[`gateway.added${key}.nodepipe`] = { ...shared, value: of('bellwether').median / of('nodepipe').median };
    results[`gateway.added${key}.ms`] = { ...shared, value: shared.ours.median };
  }
  return results;
}

function table(closed, open) {
  const extra = { p50: added(open, (sample) => sample.p50), p99: added(open, (sample) => sample.p99) };
  const value = (sample) => sample.added;
  return plainTable(
    [
      'gateway',
      'rps',
      'p50 ms',
      'p99 ms',
      'CPU µs/req',
      'k instr/req',
      'RSS MB',
      'cost ÷ nodepipe',
      'rps ÷ Portkey',
      'added p50 ms',
      'added p99 ms',
    ],
    Object.keys(closed).map((name) => [
      name,
      range(overReps(closed, name, (sample) => sample.rps)),
      figure(overReps(closed, name, (sample) => sample.p50).median),
      figure(overReps(closed, name, (sample) => sample.p99).median),
      figure(least(closed, name, (sample) => sample.cpuUs)),
      figure(least(closed, name, (sample) => sample.kInstructions)),
      figure(overReps(closed, name, (sample) => sample.rssMb).median),
      figure(bestRatio(closed, name, 'nodepipe', cost)),
      range(paired(closed, name, 'portkey', (sample) => sample.rps)),
      range(overReps(extra.p50, name, value)),
      range(overReps(extra.p99, name, value)),
    ]),
  );
}
