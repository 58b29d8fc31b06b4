import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.mjs';

const ENDS = new Set(['run.completed', 'run.failed', 'run.cancelled']);

/** Fields of a frame come in any order. */
const ID = /^id: (\d+)$/m;
const TYPE = /^event: (.+)$/m;

/** Reads server-sent events and counts them; what is missing or comes twice is a gap. */
class Reader {
  constructor(port, bytes) {
    this.events = 0;
    this.last = 0;
    this.gaps = 0;
    this.ended = false;
    this.fault = null;
    this.rest = '';
    this.connection = new Connection(port, {
      onBody: (buffer, from, to) => this.read(buffer.latin1Slice(from, to)),
      onEnd: (status) => {
        if (status !== 200) this.fault = `HTTP ${status}`;
        else if (!this.ended) this.fault = 'ended without a terminal event';
      },
      onFail: (reason) => (this.fault ??= reason),
    });
    this.connection.send(bytes);
  }

  read(text) {
    const blocks = (this.rest + text).split('\n\n');
    this.rest = blocks.pop();
    for (const block of blocks) if (ID.test(block)) this.event(block);
  }

  event(block) {
    const id = Number(ID.exec(block)[1]);
    if (this.last > 0 && id !== this.last + 1) this.gaps += 1;
    this.last = id;
    this.events += 1;
    const type = TYPE.exec(block)?.[1];
    if (ENDS.has(type)) this.ended = true;
  }
}

let readers = [];

/** Opens so many readers of the same events; resolves once each has had one (or `limitMs` passed). */
export async function followEvents({ port, request, count, spreadMs, limitMs = 30_000 }) {
  const bytes = Buffer.from(request, 'base64');
  readers = [];
  for (let n = 0; n < count; n++) {
    readers.push(new Reader(port, bytes));
    if (n % 10 === 9) await sleep((spreadMs * 10) / count);
  }
  const patience = performance.now() + limitMs;
  while (performance.now() < patience && readers.some((reader) => !reader.fault && reader.events === 0))
    await sleep(20);
  return followState();
}

export function followState() {
  return {
    events: readers.reduce((sum, reader) => sum + reader.events, 0),
    gaps: readers.reduce((sum, reader) => sum + reader.gaps, 0),
    reached: readers.filter((reader) => reader.events > 0 && !reader.fault).length,
    ended: readers.filter((reader) => reader.ended).length,
    firstFault: readers.find((reader) => reader.fault)?.fault,
  };
}

/** Waits for every reader's end, then lets go of them. */
export async function endFollowing({ limitMs = 10_000 }) {
  const patience = performance.now() + limitMs;
  while (performance.now() < patience && readers.some((reader) => !reader.ended && !reader.fault)) await sleep(20);
  const state = { ...followState(), same: new Set(readers.map((reader) => reader.last)).size <= 1 };
  for (const reader of readers) reader.connection.destroy();
  readers = [];
  return state;
}
