import { compiledFile } from './compiled';

/** Stands in for `src/auth/imported-passwords/password-worker-file`: global set-up compiles the entry of the thread. */
export const WORKER_FILE = compiledFile('src/auth/imported-passwords/password-comparison.worker.js');
