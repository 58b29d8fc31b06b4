import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RerankServer {
  readonly url: string;
  /** Bodies of the requests so far, with their headers. */
  readonly asked: readonly { readonly path: string; readonly authorization: string | undefined; readonly body: any }[];
  /** Judges a passage; null hangs. */
  score: (passage: string) => number | null;
  /** Replaces the answer. */
  answer: string | null;
  stop(): Promise<void>;
}

/** A scripted vendor with the rerank endpoint of Cohere. */
export async function startRerankServer(): Promise<RerankServer> {
  const asked: { path: string; authorization: string | undefined; body: any }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.once('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString());
      asked.push({ path: request.url ?? '', authorization: request.headers.authorization, body });
      const scores = body.documents.map((text: string) => vendor.score(text));
      if (scores.includes(null)) return;
      const results = scores.map((relevance_score: number, index: number) => ({ index, relevance_score }));
      response.setHeader('content-type', 'application/json').end(vendor.answer ?? JSON.stringify({ results }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const vendor: RerankServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    score: () => 0,
    answer: null,
    stop: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
  return vendor;
}
