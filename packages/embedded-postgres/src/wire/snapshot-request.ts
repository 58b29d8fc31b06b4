import { type Socket, createConnection } from 'node:net';
import { cstring, errorResponse, frame, int32, readCstring } from './messages';
import type { Holder, SharedEngine } from './shared-engine';

/** Our own start-up code, outside those of PostgreSQL. The socket is as private as the files. */
export const SNAPSHOT_REQUEST = 80_877_990;

const DONE = 'SNAPSHOT';

export const DISK_FULL = 'The disk of the data directory is full';

/** Copies the files of the engine outside any transaction, with the mutex held. A client that leaves aborts it. */
export async function serveSnapshot(socket: Socket, { mutex, engine }: SharedEngine): Promise<void> {
  const holder: Holder = { evict: () => undefined };
  const gone = new AbortController();
  socket.once('close', () => {
    gone.abort();
    mutex.withdraw(holder);
  });
  try {
    await mutex.enter(holder, true);
    await engine.copyFiles(gone.signal);
    socket.end(frame('C', cstring(DONE)));
  } catch (error) {
    const full = (error as NodeJS.ErrnoException).code === 'ENOSPC';
    const message = full ? DISK_FULL : error instanceof Error ? error.message : String(error);
    socket.end(errorResponse({ severity: 'FATAL', code: full ? '53100' : '58030', message }));
  } finally {
    mutex.leave(holder);
  }
}

/**
 * Asks the engine behind a socket to copy its files to `snapshotDirectory`.
 * @throws with the message of the other process.
 */
export function requestSnapshot(path: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    const chunks: Buffer[] = [];
    const stop = (): void => void socket.destroy(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    socket.on('connect', () => socket.write(Buffer.concat([int32(8), int32(SNAPSHOT_REQUEST)])));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      signal.removeEventListener('abort', stop);
      const refusal = refusalIn(Buffer.concat(chunks));
      if (refusal === null) resolve();
      else reject(new Error(refusal));
    });
  });
}

/** Null for success. */
function refusalIn(answer: Buffer): string | null {
  if (answer.length === 0) return 'the process that runs the database ended';
  const type = answer.toString('latin1', 0, 1);
  if (type === 'C') return null;
  for (let at = 5; type === 'E' && at < answer.length && answer[at] !== 0;) {
    const field = readCstring(answer, at + 1);
    if (answer.toString('latin1', at, at + 1) === 'M') return field.text;
    at = field.end;
  }
  return 'the process that runs the database gave an answer that is not understood';
}
