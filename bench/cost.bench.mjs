// P2: CPU time of a completion beside a bare proxy, and what limit rules add. Few enough requests for every commit.
import { setTimeout as sleep } from 'node:timers/promises';
import { headline } from './lib/fleet.mjs';
import { cpuMs } from './lib/meter.mjs';
import { bestRatio, least, overReps } from './lib/pairs.mjs';
import { figure, limitText, plainTable } from './lib/report.mjs';
import { interleave, voids } from './lib/runner.mjs';
import { chatRequest, expected } from './lib/targets.mjs';

export const usesFleet = true;

const CONNECTIONS = 8;
/** Records and leases are written behind the answer: a round lasts until they are. */
const WRITTEN_MS = 320;
/** Rounds of the service, by the limit rules that count its requests. The headline is the one with two. */
const RULES = { none: 0, one: 1, two: 2 };

export async function run(bench) {
  const servers = await bench.fleet();
  const of = (name) => servers.find((server) => server.name === name);
  for (const name of ['nodepipe', 'bellwether'].filter(of))
    await bench.warm(name, () => ask(bench, of(name), bench.scale.costWarm));
  const samples = await interleave({
    bench,
    names: of('bellwether') ? ['nodepipe', ...Object.keys(RULES)] : [],
    reps: bench.scale.costRounds,
    measure: (name) =>
      name === 'nodepipe' ? round(bench, of('nodepipe')) : withRules(bench, of('bellwether'), RULES[name]),
  });
  await of('bellwether')?.setRules(RULES.two);
  const cost = (sample) => sample.cpuUs;
  const ours = overReps(samples, 'two', cost);
  return {
    results: {
      'cost.pipe': {
        value: bestRatio(samples, 'two', 'nodepipe', cost),
        ours,
        unit: 'µs CPU',
        limit: limitText(undefined, overReps(samples, 'nodepipe', cost), 'µs CPU'),
      },
      'cost.rule': { value: bestRatio(samples, 'one', 'none', cost), ours, unit: 'µs CPU' },
    },
    samples,
    text: plainTable(
      ['cost', 'least CPU µs/req', '÷ nodepipe'],
      Object.keys(samples).map((name) => [
        name,
        figure(least(samples, name, cost)),
        figure(bestRatio(samples, name, 'nodepipe', cost)),
      ]),
    ),
    voids: voids(samples),
  };
}

/** The first requests after a change of the rules compile and lease anew. */
async function withRules(bench, server, rules) {
  await server.setRules(rules);
  await ask(bench, server, bench.scale.costRequests / 4);
  return round(bench, server);
}

/** CPU time of all threads, by the kernel's own account of each. */
async function round(bench, server) {
  const before = cpuMs(server.pid);
  const { count, errors, firstError } = await ask(bench, server, bench.scale.costRequests);
  await sleep(WRITTEN_MS);
  const cpuUs = ((cpuMs(server.pid) - before) * 1e3) / count;
  return { cpuUs, fault: errors > 0 ? `${errors} errors, first: ${firstError}` : undefined };
}

async function ask({ load, mock }, server, limit) {
  await mock('mode', {});
  return load('closedLoop', {
    port: server.port,
    request: chatRequest(server.port, headline(server)),
    expect: expected,
    connections: CONNECTIONS,
    seconds: 30,
    limit,
  });
}
