import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** The compiled entry of the thread, beside this file. */
const WORKER_FILE = join(__dirname, 'password-comparison.worker.js');

export interface Comparison {
  readonly password: string;
  readonly hash: string;
}

/** Compares in a thread: bcrypt computes for about a third of a second, which would hold up every other request. */
export function matches(comparison: Comparison): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER_FILE, { workerData: comparison });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`The thread ended with code ${code}`)));
  });
}
