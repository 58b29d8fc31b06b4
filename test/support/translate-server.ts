import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TranslateServer {
  readonly url: string;
  /** Texts that were to be translated so far. */
  readonly asked: readonly string[];
  /** Null hangs. */
  translate: (text: string) => string | null;
  stop(): Promise<void>;
}

/** A scripted LibreTranslate. */
export async function startTranslateServer(): Promise<TranslateServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.once('end', () => {
      const { q } = JSON.parse(Buffer.concat(parts).toString());
      asked.push(q);
      const translatedText = translator.translate(q);
      if (translatedText === null) return;
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ translatedText }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const translator: TranslateServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    translate: (text) => text,
    stop: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
  return translator;
}
