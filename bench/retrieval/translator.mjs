// A LibreTranslate that knows the questions of a parallel collection by heart, and no other text.
import { once } from 'node:events';
import { createServer } from 'node:http';

/** `pairs`: translations by text. */
export async function startTranslator(pairs) {
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const translatedText = pairs.get(JSON.parse(Buffer.concat(parts).toString()).q);
    response.statusCode = translatedText === undefined ? 404 : 200;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ translatedText }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
