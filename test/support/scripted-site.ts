import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface ScriptedSite {
  readonly url: string;
  readonly port: number;
  /** Requests so far. */
  readonly asked: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** What a path answers from now on: a body of HTML, or a handler. */
  on(path: string, answer: string | Answer): void;
  stop(): Promise<void>;
}

/** A website on loopback. Paths without an answer give 404; a query belongs to the path only where it was scripted. */
export async function startSite(): Promise<ScriptedSite> {
  const answers = new Map<string, Answer>();
  const asked: { path: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    asked.push({ path, headers: request.headers });
    const answer = answers.get(path) ?? answers.get(path.split('?', 1)[0] ?? '');
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    asked,
    on: (path, answer) =>
      void answers.set(path, typeof answer === 'string' ? (_, response) => html(response, answer) : answer),
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

export const html = (response: ServerResponse, body: string, headers: Record<string, string> = {}): void =>
  void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);

/** The parts of a video's watch page that list its captions, as YouTube's page has them. */
export const watchPage = (title: string, tracks: readonly object[]): string =>
  `<!doctype html><title>${title} - Videos</title><script>if (window.ytInitialPlayerResponse) run();</script>
<script nonce="x">var ytInitialPlayerResponse = ${JSON.stringify({
    videoDetails: { title },
    captions: { playerCaptionsTracklistRenderer: { captionTracks: tracks } },
  })};var meta = {};</script>`;
