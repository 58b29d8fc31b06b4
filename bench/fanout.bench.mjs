// P18: a thousand readers of one background run. Every repetition starts fresh processes, as memory is measured; the
// yardstick writes the same events to as many responses and does nothing else.
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, startNode, stop, until200 } from './lib/children.mjs';
import { headline, startServer } from './lib/fleet.mjs';
import { cores } from './lib/machine.mjs';
import { meter, rssKb } from './lib/meter.mjs';
import { bestRatio, overReps, paired } from './lib/pairs.mjs';
import { plainTable, range } from './lib/report.mjs';
import { interleave, voids } from './lib/runner.mjs';
import { requestBytes } from './lib/wire.mjs';

const EVERY_MS = 100;
const TEXT = 'token 000000 ';
const raw = fileURLToPath(new URL('./suts/raw-fanout.mjs', import.meta.url));

export async function run(bench) {
  const samples = await interleave({
    bench,
    names: bench.names.includes('bellwether') ? ['raw', 'bellwether'] : ['raw'],
    reps: bench.scale.reps,
    extra: 1,
    measure: (name) => follow(bench, name === 'raw' ? yardstick : service),
  });
  return { results: results(samples, bench.scale), samples, text: table(samples), voids: voids(samples) };
}

async function follow(bench, open) {
  const server = await open(bench);
  try {
    // Code must be hot and pools be grown before the memory is read, else that is taken for the readers'.
    await measure(bench, server, Math.min(200, bench.scale.heldStreams), 2);
    await sleep(500);
    return await measure(bench, server, bench.scale.heldStreams, bench.scale.holdSeconds);
  } finally {
    await server.stop();
    await bench.mock('drop');
  }
}

async function measure({ load }, server, count, seconds) {
  const before = rssKb(server.pid);
  const events = await server.begin();
  const request = requestBytes({ port: server.port, method: 'GET', ...events }).toString('base64');
  // Gently: what is measured is following, not asking to.
  await load('followEvents', { port: server.port, request, count, spreadMs: 3 * count, limitMs: 60_000 });
  await sleep(500);
  const cost = await meter(server.pid);
  const from = await load('followState');
  await sleep(seconds * 1e3);
  const to = await load('followState');
  const { cpuMs, instructions } = await cost.stop();
  const after = rssKb(server.pid);
  await server.end();
  const end = await load('endFollowing', {});
  const deliveries = to.events - from.events;
  return {
    us: (cpuMs * 1e3) / deliveries,
    instructions: instructions / deliveries,
    rate: deliveries / seconds,
    kbEach: (after - before) / count,
    lost: end.gaps + (count - end.ended),
    fault: faultOf({ ...end, deliveries, count, seconds }),
  };
}

function faultOf({ ended, count, gaps, same, deliveries, seconds, firstFault }) {
  if (ended < count) return `${ended} of ${count} readers saw the end, first fault: ${firstFault}`;
  if (gaps > 0 || !same) return `${gaps} gaps`;
  const expected = (count * seconds * 1e3) / EVERY_MS;
  return deliveries < 0.8 * expected ? `${deliveries} of ${expected} deliveries` : undefined;
}

async function yardstick() {
  const port = await freePort();
  const child = startNode(raw, { core: cores.server, env: { PORT: String(port) }, ipc: true });
  const url = `http://127.0.0.1:${port}`;
  await until200(`${url}/health`, child);
  const post = (path, body) => fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  return {
    port,
    pid: child.pid,
    async begin() {
      await post('/start', { everyMs: EVERY_MS, text: TEXT });
      return { path: '/events' };
    },
    end: () => post('/stop', {}),
    stop: () => stop(child),
  };
}

async function service(bench) {
  const server = await startServer('bellwether', bench);
  const target = headline(server);
  const assistant = target.model.replace('lamb_assistant.', '');
  const url = `http://127.0.0.1:${server.port}/api/v1`;
  const headers = { ...target.headers, 'content-type': 'application/json' };
  const post = async (path, body) => {
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  let id;
  return {
    port: server.port,
    pid: server.pid,
    async begin() {
      await bench.mock('mode', { firstMs: EVERY_MS, intervalMs: EVERY_MS, tokens: 100_000 });
      ({ id } = await post(`/assistants/${assistant}/runs`, { messages: [{ role: 'user', content: 'Why?' }] }));
      return { path: `/api/v1/runs/${id}/events`, headers: target.headers };
    },
    end: () => post(`/runs/${id}/cancel`, {}),
    stop: () => server.stop(),
  };
}

function results(samples, scale) {
  const counted = samples.raw.some((sample) => sample.instructions > 0);
  const read = counted ? (sample) => sample.instructions : (sample) => sample.us;
  const note = [counted ? '' : 'by CPU time: no instruction counter here'];
  if (scale.heldStreams !== 1000) note.push(`${scale.heldStreams} readers`);
  const of = (name, what) => overReps(samples, name, what);
  const noted = note.filter(Boolean).join('; ') || undefined;
  return {
    'fanout.cost': {
      value: bestRatio(samples, 'bellwether', 'raw', read),
      ours: of('bellwether', (sample) => sample.us),
      unit: 'µs CPU',
      limit: `– / ${range(of('raw', (sample) => sample.us))} (raw)`,
      vsNodepipe: paired(samples, 'bellwether', 'raw', read),
      note: noted,
    },
    'fanout.rss': {
      value: of('bellwether', (sample) => sample.kbEach).median,
      ours: of('bellwether', (sample) => sample.kbEach),
      unit: 'KB',
      limit: `– / ${range(of('raw', (sample) => sample.kbEach))} (raw)`,
      note: noted,
    },
    'fanout.lost': {
      value: of('bellwether', (sample) => sample.lost).max,
      ours: of('bellwether', (sample) => sample.lost),
      note: noted,
    },
  };
}

const table = (samples) =>
  plainTable(
    ['fanout', 'deliveries/s', 'CPU µs per delivery', 'k instr per delivery', 'KB RSS per reader', 'lost'],
    Object.keys(samples).map((name) => [
      name,
      range(overReps(samples, name, (sample) => sample.rate)),
      range(overReps(samples, name, (sample) => sample.us)),
      range(overReps(samples, name, (sample) => sample.instructions / 1e3)),
      range(overReps(samples, name, (sample) => sample.kbEach)),
      range(overReps(samples, name, (sample) => sample.lost)),
    ]),
  );
