import type { ServerResponse } from 'node:http';

/** Milliseconds before a stalled reader is cut off: it holds its run and the connection of the vendor. */
const PATIENCE_MS = 30_000;

/** Resolves when the response has drained or closed; after a close no `drain` follows. */
export function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed || !response.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), PATIENCE_MS);
    const done = (): void => {
      clearTimeout(timer);
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}
