// P8: what a thousand open streams cost that say one token a second. Every repetition starts fresh processes, because
// memory that a first round took is still there in the second.
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMs, rssKb } from './lib/meter.mjs';
import { headline, infoOf, startServer } from './lib/fleet.mjs';
import { interleave, voids } from './lib/runner.mjs';
import { overReps, paired } from './lib/pairs.mjs';
import { limitText, peerText, plainTable, range } from './lib/report.mjs';
import { chatRequest, expected } from './lib/targets.mjs';

export async function run(bench) {
  const names = bench.names.filter((name) => name !== 'direct' && name !== 'nest-openai');
  const samples = await interleave({
    bench,
    names,
    reps: bench.scale.reps,
    extra: 1,
    measure: (name) => hold(bench, name),
  });
  return { results: results(samples, bench.scale), samples, text: table(samples), voids: voids(samples) };
}

async function hold(bench, name) {
  const server = await startServer(name, bench);
  try {
    await warm(bench, server);
    return await measure(bench, server);
  } finally {
    await bench.load('releaseStreams');
    await server.stop();
    await bench.mock('drop');
  }
}

/** Code and pools must be hot before the memory is read, else their growth is taken for the streams'. */
async function warm({ load, mock, scale }, server) {
  const { port } = server;
  await mock('mode', {});
  await load('closedLoop', {
    port,
    request: chatRequest(port, headline(server)),
    expect: expected,
    connections: 32,
    seconds: 4,
    limit: scale.warmRequests / 3,
  });
  await mock('mode', { firstMs: 5, intervalMs: 5, tokens: 20 });
  const request = chatRequest(port, headline(server), { stream: true });
  await load('pacedStreams', { port, request, streams: Math.min(200, scale.heldStreams), tokens: 20, spreadMs: 200 });
  await sleep(500);
}

async function measure({ load, mock, scale }, server) {
  await mock('mode', { firstMs: 50, intervalMs: 1000, tokens: 100_000 });
  const before = rssKb(server.pid);
  const request = chatRequest(server.port, headline(server), { stream: true });
  await load('holdStreams', { port: server.port, request, streams: scale.heldStreams, spreadMs: 1000 });
  await sleep(1000);
  const cpuBefore = cpuMs(server.pid);
  const begin = performance.now();
  await sleep(scale.holdSeconds * 1e3);
  const cpu = (100 * (cpuMs(server.pid) - cpuBefore)) / (performance.now() - begin);
  const after = rssKb(server.pid);
  const { alive, firstFault } = await load('releaseStreams');
  return {
    kbEach: (after - before) / scale.heldStreams,
    cpu,
    alive,
    fault:
      alive < scale.heldStreams
        ? `${alive} of ${scale.heldStreams} streams held, first fault: ${firstFault}`
        : undefined,
  };
}

function results(samples, scale) {
  const entry = (read, unit) => {
    const of = (name) => overReps(samples, name, read);
    const ours = of('bellwether');
    return {
      value: ours.median,
      ours,
      unit,
      limit: limitText(undefined, of('nodepipe'), unit),
      peer: peerText('portkey', of('portkey'), unit),
      vsNodepipe: paired(samples, 'bellwether', 'nodepipe', read),
      vsPeer: paired(samples, 'bellwether', 'portkey', read),
      note: scale.heldStreams === 1000 ? undefined : `${scale.heldStreams} streams`,
    };
  };
  return { 'hold.rss': entry((sample) => sample.kbEach, 'KB'), 'hold.cpu': entry((sample) => sample.cpu, '%') };
}

function table(samples) {
  return plainTable(
    ['hold', 'KB RSS per stream', 'CPU % of a core', 'streams alive'],
    Object.keys(samples).map((name) => [
      `${name} ${infoOf(name).version ?? ''}`.trim(),
      range(overReps(samples, name, (sample) => sample.kbEach)),
      range(overReps(samples, name, (sample) => sample.cpu)),
      range(overReps(samples, name, (sample) => sample.alive)),
    ]),
  );
}
