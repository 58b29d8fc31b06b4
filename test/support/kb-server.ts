import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KbServer {
  readonly url: string;
  /** Queries that have arrived so far. */
  readonly queries: number;
  /** Queries whose caller left before the answer. */
  readonly abandoned: number;
  stop(): Promise<void>;
}

/** A knowledge-base server in LAMB's shape that takes `delayMs` for an answer. */
export async function startKbServer({ delayMs = 0, text = 'Osmosis moves water.' } = {}): Promise<KbServer> {
  const state = { queries: 0, abandoned: 0 };
  const server = createServer((request, response) => {
    request.resume();
    state.queries += 1;
    const collection = request.url?.split('/')[2] ?? '';
    const timer = setTimeout(() => {
      const results = [
        { similarity: 0.9, data: text, metadata: { filename: 'f.md', file_url: `/${collection}/f.md` } },
      ];
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ results, count: 1 }));
    }, delayMs);
    response.once('close', () => {
      clearTimeout(timer);
      if (!response.writableFinished) state.abandoned += 1;
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get queries() {
      return state.queries;
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
