// P5-P7: what streamed tokens cost and how late they are.
import { canCount } from './lib/machine.mjs';
import { meter } from './lib/meter.mjs';
import { headline } from './lib/fleet.mjs';
import { interleave, voids } from './lib/runner.mjs';
import { added, bestRatio, least, overReps, paired } from './lib/pairs.mjs';
import { figure, limitText, peerText, plainTable, range } from './lib/report.mjs';
import { chatRequest } from './lib/targets.mjs';

export const usesFleet = true;

const FIRST_MS = 50;
const INTERVAL_MS = 10;
const BURST_TOKENS = 500;

export async function run(bench) {
  const servers = new Map((await bench.fleet()).map((server) => [server.name, server]));
  const names = [...servers.keys()];
  const { scale } = bench;
  for (const name of names) {
    await bench.warm(`${name} streams`, async () => {
      for (let n = 0; n < scale.warmStreams; n++) await paced(bench, servers.get(name));
    });
  }
  const pacedRuns = await interleave({
    bench,
    names,
    reps: scale.reps,
    measure: (name) => paced(bench, servers.get(name)),
  });
  const results = pacedResults(pacedRuns, scale);
  let bursts = {};
  if (scale.variants) {
    for (const name of names) await bench.warm(`${name} ceiling`, () => burst(bench, servers.get(name)));
    bursts = await interleave({ bench, names, reps: scale.reps, measure: (name) => burst(bench, servers.get(name)) });
    Object.assign(results, burstResults(bursts));
  }
  return {
    results,
    samples: { paced: pacedRuns, bursts },
    text: table(pacedRuns, bursts),
    voids: [...voids(pacedRuns), ...voids(bursts)],
  };
}

async function paced({ load, mock, scale }, server) {
  await mock('mode', { firstMs: FIRST_MS, intervalMs: INTERVAL_MS, tokens: scale.tokens });
  const spent = await meter(server.pid);
  const { streams, tokens, spreadMs } = scale;
  const request = chatRequest(server.port, headline(server), { stream: true });
  const run = await load('pacedStreams', { port: server.port, request, streams, tokens, spreadMs });
  const { cpuMs, instructions, rssMb } = await spent.stop();
  await mock('drop');
  // The last stream starts just before the spread ends; its last token comes one interval before `tokens` intervals.
  const idealMs = spreadMs * (1 - 1 / streams) + FIRST_MS + (tokens - 1) * INTERVAL_MS;
  return {
    ...run,
    wallRatio: run.wallMs / idealMs,
    cpuUs: (cpuMs * 1e3) / run.tokens,
    kInstructions: instructions / run.tokens / 1e3,
    rssMb,
    // Lost tokens of our own are a result, not a reason to measure again; elsewhere they void the sample.
    fault: run.bad > 0 && server.name !== 'bellwether' ? `${run.bad} bad streams, first: ${run.firstFault}` : undefined,
  };
}

async function burst({ load, mock, scale }, server) {
  await mock('mode', { burst: true, tokens: BURST_TOKENS });
  const request = chatRequest(server.port, headline(server), { stream: true });
  const run = await load('burstStreams', {
    port: server.port,
    request,
    connections: 8,
    seconds: scale.burstSeconds,
    tokens: BURST_TOKENS,
  });
  return { ...run, fault: run.bad > 0 ? `${run.bad} bad answers, first: ${run.firstFault}` : undefined };
}

const cost = (sample) => (canCount ? sample.kInstructions : sample.cpuUs);
const costUnit = canCount ? 'k instr' : 'µs CPU';
const costNote = canCount ? undefined : 'by CPU time: no instruction counter here';

function pacedResults(samples, scale) {
  const shared = (read, unit = '', from = samples) => {
    const of = (name) => overReps(from, name, read);
    return {
      ours: of('bellwether'),
      unit,
      limit: limitText(of('direct'), of('nodepipe'), unit),
      peer: peerText('portkey', of('portkey'), unit),
      vsNodepipe: paired(from, 'bellwether', 'nodepipe', read),
      vsPeer: paired(from, 'bellwether', 'portkey', read),
    };
  };
  const costs = { ...shared(cost, costUnit), note: costNote };
  const bad = shared((sample) => sample.bad);
  const wall = shared((sample) => sample.wallRatio);
  const addedTtft = (quantile) =>
    shared(
      (sample) => sample.added,
      'ms',
      added(samples, (sample) => sample[quantile]),
    );
  const ttft = addedTtft('ttftP50');
  const ttft99 = addedTtft('ttftP99');
  const transit = shared((sample) => sample.transitP50, 'ms');
  const smaller =
    scale.streams === 256 && scale.tokens === 200 ? undefined : `${scale.streams} × ${scale.tokens} tokens`;
  return {
    'stream.bad': { ...bad, value: bad.ours.max, note: smaller },
    // On a machine shared with other work only the best repetition beside the bare proxy speaks of the server.
    'stream.wall': { ...wall, value: wall.ours.median, smokeValue: wall.vsNodepipe.min, note: smaller },
    'stream.ttft': { ...ttft, value: ttft.ours.median, note: smaller },
    'stream.ttft99': { ...ttft99, value: ttft99.ours.median, note: smaller },
    'stream.transit': { ...transit, value: transit.ours.median, note: smaller },
    'stream.cost.nodepipe': { ...costs, value: bestRatio(samples, 'bellwether', 'nodepipe', cost) },
    'stream.cost.portkey': { ...costs, value: bestRatio(samples, 'bellwether', 'portkey', cost) },
  };
}

function burstResults(samples) {
  const read = (sample) => sample.tokensPerSecond;
  const of = (name) => overReps(samples, name, read);
  const ratio = paired(samples, 'bellwether', 'portkey', read);
  return {
    'stream.ceiling.portkey': {
      value: ratio.median,
      ours: of('bellwether'),
      unit: 'tokens/s',
      limit: limitText(of('direct'), of('nodepipe')),
      peer: peerText('portkey', of('portkey')),
      vsNodepipe: paired(samples, 'bellwether', 'nodepipe', read),
      vsPeer: ratio,
    },
  };
}

function table(samples, bursts) {
  return plainTable(
    [
      'stream',
      'bad',
      'wall ÷ ideal',
      'TTFT p50 ms',
      'transit p50 ms',
      'transit p99 ms',
      'CPU µs/token',
      'k instr/token',
      '÷ nodepipe',
      '÷ Portkey',
      'RSS MB',
      'ceiling tokens/s',
    ],
    Object.keys(samples).map((name) => {
      const middle = (read) => figure(overReps(samples, name, read).median);
      return [
        name,
        figure(overReps(samples, name, (sample) => sample.bad).max),
        range(overReps(samples, name, (sample) => sample.wallRatio)),
        middle((sample) => sample.ttftP50),
        range(overReps(samples, name, (sample) => sample.transitP50)),
        middle((sample) => sample.transitP99),
        figure(least(samples, name, (sample) => sample.cpuUs)),
        figure(least(samples, name, (sample) => sample.kInstructions)),
        figure(bestRatio(samples, name, 'nodepipe', cost)),
        figure(bestRatio(samples, name, 'portkey', cost)),
        middle((sample) => sample.rssMb),
        range(overReps(bursts, name, (sample) => sample.tokensPerSecond)),
      ];
    }),
  );
}
