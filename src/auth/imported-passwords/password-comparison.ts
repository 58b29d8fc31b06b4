import { Worker } from 'node:worker_threads';
import { WORKER_FILE } from './password-worker-file';

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
