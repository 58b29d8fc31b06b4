import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KbServer {
  readonly url: string;
  /** How long the next answers take. */
  delayMs: number;
  /** Status of the answer by collection; 200 for those that it does not name. */
  readonly statuses: Map<string, number>;
  /** Queries that have arrived so far. */
  readonly queries: number;
  /** Their paths with what stands behind `?`, and their bodies. */
  readonly asked: readonly { readonly path: string; readonly body: any }[];
  /** Queries that have been answered so far. */
  readonly answered: number;
  /** Queries whose caller left before the answer. */
  readonly abandoned: number;
  /** Most queries that waited for their answers together. */
  readonly most: number;
  stop(): Promise<void>;
}

/** A knowledge-base server in LAMB's shape that takes `delayMs` for an answer. */
export async function startKbServer({
  delayMs = 0,
  text = 'Osmosis moves water.',
  metadata = {},
} = {}): Promise<KbServer> {
  const state = { queries: 0, answered: 0, abandoned: 0, most: 0, delayMs };
  const asked: { path: string; body: any }[] = [];
  const statuses = new Map<string, number>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.once('end', () => {
      asked.push({ path: request.url ?? '', body: JSON.parse(Buffer.concat(parts).toString()) });
    });
    state.queries += 1;
    state.most = Math.max(state.most, state.queries - state.answered - state.abandoned);
    const collection = request.url?.split('/')[2] ?? '';
    const timer = setTimeout(() => {
      state.answered += 1;
      const status = statuses.get(collection) ?? 200;
      if (status !== 200) return response.writeHead(status).end('{"detail":"scripted"}');
      const results = [
        { similarity: 0.9, data: text, metadata: { filename: 'f.md', file_url: `/${collection}/f.md`, ...metadata } },
      ];
      return response.setHeader('content-type', 'application/json').end(JSON.stringify({ results, count: 1 }));
    }, state.delayMs);
    response.once('close', () => {
      clearTimeout(timer);
      if (!response.writableEnded) state.abandoned += 1;
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get delayMs() {
      return state.delayMs;
    },
    set delayMs(ms) {
      state.delayMs = ms;
    },
    get queries() {
      return state.queries;
    },
    asked,
    statuses,
    get answered() {
      return state.answered;
    },
    get most() {
      return state.most;
    },
    get abandoned() {
      return state.abandoned;
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}
