import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { ExtractionError } from '../extraction.errors';
import { parseDocument } from '../parse-document';
import type { FromParser, ToParser } from './parser-messages.types';

const WATCH_EVERY_MS = 50;
const MEBIBYTE = 1024 * 1024;

interface Watch {
  readonly parent: number;
  readonly memoryMb: number;
}

/** A thread of its own, since a hostile file can keep the main one busy for ever: ends the process when its parent is gone or its memory is over the limit. */
function watch({ parent, memoryMb }: Watch): void {
  setInterval(() => {
    if (process.ppid === parent && process.memoryUsage.rss() <= memoryMb * MEBIBYTE) return;
    process.kill(process.pid, 'SIGKILL');
  }, WATCH_EVERY_MS);
}

const tell = (message: FromParser): void => {
  process.send?.(message);
};

async function answer({ bytes, filename, limits }: ToParser): Promise<FromParser> {
  try {
    const own = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { type: 'document', document: await parseDocument({ bytes: own, filename }, limits) };
  } catch (error) {
    if (error instanceof ExtractionError) return { type: 'refused', code: error.code, message: error.message };
    return { type: 'broken', reason: error instanceof Error ? error.name : typeof error };
  }
}

function serve(): void {
  const memoryMb = Number(process.argv[2]);
  new Worker(__filename, { workerData: { parent: process.ppid, memoryMb } satisfies Watch }).unref();
  process.on('message', (message: ToParser) => {
    void answer(message).then(tell);
  });
  process.once('disconnect', () => process.exit(0));
  // What a library throws later, into nothing, is no reason to go: the document in hand is answered for or times out.
  process.on('uncaughtException', () => tell({ type: 'broken', reason: 'uncaughtException' }));
  tell({ type: 'ready' });
}

if (isMainThread) serve();
else watch(workerData as Watch);
