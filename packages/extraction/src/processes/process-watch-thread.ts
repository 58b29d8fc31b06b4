import { workerData } from 'node:worker_threads';

export interface WatchedProcess {
  readonly parent: number;
  readonly memoryMb: number;
  /** Signal that ends a process over its memory limit. */
  readonly overMemory: NodeJS.Signals;
}

const EVERY_MS = 50;
const MEBIBYTE = 1024 * 1024;

/*
 * Kills its process without its parent or over its memory limit. It runs in a thread, because a hostile file may block
 * the main one, and imports no reader, because a thread has a copy of its own of every module.
 */
const { parent, memoryMb, overMemory } = workerData as WatchedProcess;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  if (process.memoryUsage.rss() > memoryMb * MEBIBYTE) process.kill(process.pid, overMemory);
}, EVERY_MS);
