// P10: a client that leaves must stop everything that works for it: the model call and the tools still running.
import { setTimeout as sleep } from 'node:timers/promises';
import { headline } from './lib/fleet.mjs';
import { interleave, voids } from './lib/runner.mjs';
import { overReps, paired } from './lib/pairs.mjs';
import { limitText, peerText, plainTable, range } from './lib/report.mjs';
import { quantile } from './lib/stats.mjs';
import { chatRequest } from './lib/targets.mjs';

export const usesFleet = true;

const CUT_AFTER_MS = 400;
const PATIENCE_MS = 1500;

export async function run(bench) {
  const servers = new Map();
  for (const server of await bench.fleet()) {
    if (server.name === 'direct') continue;
    servers.set(server.name, { server, target: headline(server), kind: 'model' });
    if (server.targets.hanging)
      servers.set(`${server.name}/tools`, { server, target: server.targets.hanging, kind: 'tool' });
  }
  let lastId = 1;
  const samples = await interleave({
    bench,
    names: [...servers.keys()],
    reps: bench.scale.reps,
    measure: (name) => cut(bench, servers.get(name), (lastId += bench.scale.cutStreams)),
  });
  return {
    results: { ...results(samples, 'bellwether', 'model'), ...results(samples, 'bellwether/tools', 'tools') },
    samples,
    text: table(samples),
    voids: voids(samples),
  };
}

async function cut({ load, mock, scale }, { server, target, kind }, firstId) {
  await mock('mode', { firstMs: 50, intervalMs: 20, tokens: 5000, track: true });
  await mock('take');
  const request = chatRequest(server.port, target, { stream: true });
  const cuts = await load('cutStreams', {
    port: server.port,
    request,
    streams: scale.cutStreams,
    spreadMs: 200,
    afterMs: CUT_AFTER_MS,
    firstId,
    sign: kind === 'model' ? 'token' : 'byte',
  });
  const starts = [];
  const cancels = [];
  const begun = performance.now();
  do {
    await sleep(50);
    const seen = await mock('take');
    starts.push(...seen.starts.filter((start) => start.kind === kind));
    cancels.push(...seen.cancels.filter((cancel) => cancel.kind === kind));
  } while (cancels.length < starts.length && performance.now() - begun < PATIENCE_MS);
  await mock('drop');
  await sleep(50);
  await mock('take');

  const cutAt = new Map(cuts.map(({ id, at }) => [id, at]));
  const startAt = new Map(starts.map(({ id, at }) => [id, at]));
  // A call may begin just after its client left, with both waiting in the server's queue; it counts from its own start.
  const delays = cancels.map(({ id, at }) => (at - Math.max(cutAt.get(id), startAt.get(id))) / 1e3);
  const reached = startAt.size;
  return {
    started: starts.length,
    cancelled: cancels.length,
    share: (100 * cancels.length) / starts.length,
    p50: quantile(delays, 0.5),
    p99: quantile(delays, 0.99),
    fault:
      reached < scale.cutStreams / 2 ? `only ${reached} of ${scale.cutStreams} streams reached the mock` : undefined,
  };
}

function results(samples, name, key) {
  const entry = (read, unit) => {
    const of = (other) => overReps(samples, other, read);
    return {
      ours: of(name),
      unit,
      limit: limitText(undefined, of('nodepipe'), unit),
      peer: peerText('portkey', of('portkey'), unit),
      vsNodepipe: paired(samples, name, 'nodepipe', read),
      vsPeer: paired(samples, name, 'portkey', read),
    };
  };
  const share = entry((sample) => sample.share, '%');
  const p99 = entry((sample) => sample.p99, 'ms');
  return {
    [`abort.${key}.share`]: { ...share, value: share.ours.n ? share.ours.min : NaN },
    [`abort.${key}.p99`]: { ...p99, value: p99.ours.median },
  };
}

function table(samples) {
  return plainTable(
    ['abort', 'calls cancelled %', 'started', 'p50 ms', 'p99 ms'],
    Object.keys(samples).map((name) => [
      name,
      range(overReps(samples, name, (sample) => sample.share)),
      range(overReps(samples, name, (sample) => sample.started)),
      range(overReps(samples, name, (sample) => sample.p50)),
      range(overReps(samples, name, (sample) => sample.p99)),
    ]),
  );
}
