import { join } from 'node:path';

/** The compiled thread, beside this file. */
export const EMBEDDER_FILE = join(__dirname, 'embedder-thread.js');
