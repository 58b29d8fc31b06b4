import { join } from 'node:path';

/** What the thread runs: a compiled file, beside this one. */
export const WORKER_FILE = join(__dirname, 'local.worker.js');
