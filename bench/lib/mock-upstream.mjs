// The model vendor and the knowledge-base server that everything measured talks to. Runs as a helper process.
import { createServer } from 'node:net';
import { nowUs } from './clock.mjs';
import { MessageReader } from './wire.mjs';
import { burstBytes, completion, endFrames, httpChunk, roleFrame, tokenChunk } from './answer.mjs';
import { Ticker } from './ticker.mjs';
import { serveCommands } from './rpc.mjs';

const head = (type, framing) =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nConnection: keep-alive\r\n${framing}\r\n\r\n`;
const json = (text) => Buffer.from(head('application/json', `Content-Length: ${Buffer.byteLength(text)}`) + text);
const models = json(
  JSON.stringify({ object: 'list', data: [{ id: 'gpt-4o-mini', object: 'model', created: 1, owned_by: 'bench' }] }),
);
const passage = (collection) =>
  json(
    JSON.stringify({
      results: [{ similarity: 0.9, data: `passage of ${collection}`, metadata: { filename: 'f.md' } }],
      count: 1,
    }),
  );

const whole = json(completion);
const streamHead = Buffer.from(head('text/event-stream', 'Transfer-Encoding: chunked'));
const opening = Buffer.concat([streamHead, httpChunk(roleFrame)]);
const closing = [false, true].map((usage) => Buffer.concat([httpChunk(endFrames(usage)), Buffer.from('0\r\n\r\n')]));

const mode = { delayMs: 0, firstMs: 0, intervalMs: 0, tokens: 0, burst: false, track: false, keepBody: false };
const bursts = new Map();
const ticker = new Ticker();
const sockets = new Set();
let seen = { requests: 0, starts: [], cancels: [], lastBody: '' };

class Peer {
  constructor(socket) {
    this.socket = socket;
    this.parts = [];
    this.work = null;
    const reader = new MessageReader(this, { isResponse: false });
    socket.setNoDelay(true);
    socket.on('data', (data) => reader.push(data));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.closed());
    sockets.add(this);
  }

  head(start) {
    this.path = start.slice(start.indexOf(' ') + 1, start.lastIndexOf(' '));
    this.parts.length = 0;
  }

  body(buffer, from, to) {
    this.parts.push(buffer.subarray(from, to));
  }

  end() {
    seen.requests++;
    const body = this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts);
    if (mode.keepBody) seen.lastBody = body.toString();
    const collection = /^\/collections\/([^/?]+)\/query/.exec(this.path)?.[1];
    if (collection) this.retrieve(collection, body);
    else if (this.path.endsWith('/chat/completions')) this.complete(body);
    else this.socket.write(models);
  }

  /** Knowledge-base query: the collection's name says how long it takes (`wait-50-2`). */
  retrieve(collection, body) {
    this.begin('tool', body);
    const wait = Number(/^wait-(\d+)/.exec(collection)?.[1] ?? 0);
    this.timer = setTimeout(() => this.answer(passage(collection)), wait);
  }

  complete(body) {
    this.begin('model', body);
    if (!/"stream": ?true/.test(body.latin1Slice())) {
      if (mode.delayMs === 0) this.answer(whole);
      else this.timer = setTimeout(() => this.answer(whole), mode.delayMs);
      return;
    }
    const usage = body.includes('"include_usage"') ? 1 : 0;
    if (mode.burst) return this.answer(burst(mode.tokens, usage));
    const start = performance.now() + mode.firstMs;
    const [every, tokens] = [mode.intervalMs, mode.tokens];
    let next = 0;
    ticker.at(start, () => {
      if (this.work?.kind !== 'model') return undefined;
      const token = tokenChunk(next, nowUs());
      this.socket.write(next === 0 ? Buffer.concat([opening, token]) : token);
      next++;
      if (next < tokens) return start + next * every;
      this.answer(closing[usage]);
      return undefined;
    });
  }

  begin(kind, body) {
    const id = mode.track ? Number(/bench-id-(\d+)/.exec(body.latin1Slice())?.[1] ?? -1) : -1;
    this.work = { kind, id };
    if (mode.track) seen.starts.push({ kind, id, at: nowUs() });
  }

  answer(bytes) {
    this.work = null;
    this.socket.write(bytes);
  }

  closed() {
    sockets.delete(this);
    clearTimeout(this.timer);
    if (this.work && mode.track) seen.cancels.push({ ...this.work, at: nowUs() });
    this.work = null;
  }
}

function burst(tokens, usage) {
  const key = tokens * 2 + usage;
  if (!bursts.has(key)) bursts.set(key, Buffer.concat([streamHead, burstBytes(tokens, usage === 1)]));
  return bursts.get(key);
}

const server = createServer((socket) => new Peer(socket));
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  serveCommands({
    port: () => server.address().port,
    mode: (next) => void Object.assign(mode, { delayMs: 0, burst: false, track: false, keepBody: false }, next),
    take() {
      const taken = { ...seen, working: [...sockets].filter((peer) => peer.work).length };
      seen = { requests: 0, starts: [], cancels: [], lastBody: '' };
      return taken;
    },
    /** Ends what a server under test left running, so that it cannot burden the next one. */
    drop() {
      for (const peer of sockets) if (peer.work) peer.socket.destroy();
    },
  }),
);
