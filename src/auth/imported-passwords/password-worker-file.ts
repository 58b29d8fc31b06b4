import { join } from 'node:path';

/** The compiled entry of the thread, beside this file. */
export const WORKER_FILE = join(__dirname, 'password-comparison.worker.js');
