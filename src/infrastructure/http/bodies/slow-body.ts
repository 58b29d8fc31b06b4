import type { IncomingMessage } from 'node:http';

const CHECK_MS = 10_000;
/** Bytes a second on average that a body keeps up which takes longer than one check. */
const LEAST_RATE = 16 * 1024;

/** Ends the connection of a body that arrives too slowly, so that such a request cannot hold what it waits with. */
export function cutSlowBody(request: IncomingMessage): void {
  if (request.closed) return;
  const { socket } = request;
  const began = performance.now();
  const before = socket.bytesRead;
  const timer = setInterval(() => {
    const seconds = (performance.now() - began) / 1e3;
    if (!request.complete && socket.bytesRead - before < LEAST_RATE * seconds) request.destroy();
  }, CHECK_MS);
  timer.unref();
  request.once('close', () => clearInterval(timer));
}
