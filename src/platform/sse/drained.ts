import type { ServerResponse } from 'node:http';

/** A reader that takes nothing for this long is cut off: it would hold its run and the vendor's connection for ever. */
const PATIENCE_MS = 30_000;

/** Resolves when the reader has taken what was written, or has left: after a close no `drain` would ever come. */
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
