import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { ExtractionError } from '../document/extraction.errors';
import { parseDocument } from '../reading/parse-document';
import { OVER_MEMORY } from './parser-exit';
import type { FromParser, ParserAnswer, ToParser } from './parser-messages.types';

const WATCH_EVERY_MS = 50;
const MEBIBYTE = 1024 * 1024;

interface Watch {
  readonly parent: number;
  readonly memoryMb: number;
}

/** Runs in a thread, because a hostile file may block the main one. Kills the process without its parent or over its memory limit. */
function watch({ parent, memoryMb }: Watch): void {
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
    if (process.memoryUsage.rss() > memoryMb * MEBIBYTE) process.kill(process.pid, OVER_MEMORY);
  }, WATCH_EVERY_MS);
}

const tell = (message: FromParser): void => {
  process.send?.(message);
};

const classOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

async function answer({ id, bytes, limits, ...input }: ToParser): Promise<ParserAnswer> {
  try {
    const own = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { type: 'document', id, document: await parseDocument({ ...input, bytes: own }, limits) };
  } catch (error) {
    if (error instanceof ExtractionError) return { type: 'refused', id, code: error.code, message: error.message };
    return { type: 'broken', id, reason: classOf(error) };
  }
}

function serve(): void {
  const [memoryMb, parent] = process.argv.slice(2).map(Number) as [number, number];
  // The parent's id is an argument: `process.ppid` would be wrong if the parent died during the start.
  new Worker(__filename, { workerData: { parent, memoryMb } satisfies Watch }).unref();
  process.on('message', (message: ToParser) => {
    void answer(message).then(tell);
  });
  process.once('disconnect', () => process.exit(0));
  process.on('uncaughtException', (error) => tell({ type: 'stray', reason: classOf(error) }));
  tell({ type: 'ready' });
}

if (isMainThread) serve();
else watch(workerData as Watch);
