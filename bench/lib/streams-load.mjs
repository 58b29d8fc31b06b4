import { setTimeout as sleep } from 'node:timers/promises';
import { nowUs } from './clock.mjs';
import { quantile } from './stats.mjs';
import { Connection } from './connection.mjs';
import { StampReader } from './stamps.mjs';

const withId = (text, id) => Buffer.from(text.replace('bench-id-000000', `bench-id-${String(id).padStart(6, '0')}`));
const decode = (request) => Buffer.from(request, 'base64').toString();

/** One streamed answer, begun now; `ended` resolves with what was wrong with it, or with `null`. */
function openStream(port, bytes, tokens, onToken) {
  const stamps = new StampReader(onToken);
  let resolve;
  const ended = new Promise((settle) => (resolve = settle));
  const connection = new Connection(port, {
    onBody: (buffer, from, to) => stamps.read(buffer, from, to),
    onEnd(status, self) {
      self.destroy();
      if (status !== 200) resolve(`HTTP ${status}`);
      else if (stamps.outOfOrder) resolve('tokens out of order');
      else if (stamps.expected !== tokens) resolve(`${stamps.expected} of ${tokens} tokens`);
      else resolve(stamps.done ? null : 'no [DONE]');
    },
    onFail: (reason) => resolve(`${reason} after ${stamps.expected} tokens`),
  });
  connection.send(bytes);
  return { connection, stamps, ended };
}

/** Paced streams begun evenly over `spreadMs`; TTFT counts from each one's scheduled start, transit from the stamp. */
export async function pacedStreams({ port, request, streams, spreadMs, tokens }) {
  const bytes = Buffer.from(request, 'base64');
  const transit = [];
  const first = [];
  const all = [];
  const begin = nowUs() + 2000;
  for (let n = 0; n < streams; n++) {
    const scheduled = begin + (n * spreadMs * 1e3) / streams;
    const early = (scheduled - nowUs()) / 1e3;
    if (early > 0.5) await sleep(early);
    let fresh = true;
    all.push(
      openStream(port, bytes, tokens, (now, stamp) => {
        if (fresh) first.push(now - scheduled);
        fresh = false;
        transit.push(now - stamp);
      }),
    );
  }
  const faults = (await Promise.all(all.map((stream) => patient(stream, 60_000)))).filter(Boolean);
  return {
    wallMs: (nowUs() - begin) / 1e3,
    bad: faults.length,
    firstFault: faults[0],
    tokens: transit.length,
    ttftP50: quantile(first, 0.5) / 1e3,
    ttftP99: quantile(first, 0.99) / 1e3,
    transitP50: quantile(transit, 0.5) / 1e3,
    transitP99: quantile(transit, 0.99) / 1e3,
  };
}

/** Whole answers one after another on a few connections: the most tokens a server can carry. */
export async function burstStreams({ port, request, connections, seconds, tokens }) {
  const bytes = Buffer.from(request, 'base64');
  const begin = nowUs();
  const end = begin + seconds * 1e6;
  let answers = 0;
  let bad = 0;
  let firstFault;
  const runOne = async () => {
    while (nowUs() < end && bad < 20) {
      const fault = await patient(openStream(port, bytes, tokens), 20_000);
      if (fault) [bad, firstFault] = [bad + 1, firstFault ?? fault];
      else answers++;
    }
  };
  await Promise.all(Array.from({ length: connections }, runOne));
  return { answers, bad, firstFault, tokensPerSecond: (answers * tokens) / ((nowUs() - begin) / 1e6) };
}

async function patient(stream, limitMs) {
  const late = setTimeout(() => stream.connection.socket.destroy(new Error(`unfinished after ${limitMs} ms`)), limitMs);
  const fault = await stream.ended;
  clearTimeout(late);
  return fault;
}

let held = [];

/** Opens streams that stay; resolves once each has had a token (or `limitMs` passed). */
export async function holdStreams({ port, request, streams, spreadMs, limitMs = 20_000 }) {
  const bytes = Buffer.from(request, 'base64');
  held = [];
  for (let n = 0; n < streams; n++) {
    const stream = openStream(port, bytes, -1);
    void stream.ended.then((fault) => (stream.fault = fault ?? 'ended'));
    held.push(stream);
    if (n % 10 === 9) await sleep((spreadMs * 10) / streams);
  }
  const patience = performance.now() + limitMs;
  while (performance.now() < patience && held.some((stream) => !stream.fault && stream.stamps.expected === 0)) {
    await sleep(20);
  }
  return holdState();
}

export function holdState() {
  return {
    alive: held.filter((stream) => !stream.fault && stream.stamps.expected > 0 && !stream.stamps.outOfOrder).length,
    tokens: held.reduce((sum, stream) => sum + stream.stamps.expected, 0),
    firstFault: held.find((stream) => stream.fault)?.fault,
  };
}

export function releaseStreams() {
  const state = holdState();
  for (const stream of held) stream.connection.destroy();
  held = [];
  return state;
}

/**
 * Opens numbered streams and cuts each `afterMs` later, but not before its first sign of life (`token`, or any `byte`
 * and a moment more): on a busy machine the work that is to be cancelled might not have begun. Returns when each was cut.
 */
export async function cutStreams({ port, request, streams, spreadMs, afterMs, firstId, sign }) {
  const text = decode(request);
  return Promise.all(
    Array.from({ length: streams }, async (_, n) => {
      await sleep((n * spreadMs) / streams);
      const id = firstId + n;
      const opened = nowUs();
      const stream = openStream(port, withId(text, id), -1);
      await sleep(afterMs);
      const alive = () => (sign === 'token' ? stream.stamps.expected > 0 : stream.stamps.begun);
      const late = !alive();
      while (!alive() && nowUs() - opened < 5e6) await sleep(10);
      if (late && sign === 'byte') await sleep(afterMs / 2);
      const at = nowUs();
      stream.connection.destroy();
      return { id, at };
    }),
  );
}
