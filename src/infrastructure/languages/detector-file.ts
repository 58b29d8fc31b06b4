import { join } from 'node:path';

/** The compiled thread, beside this file. */
export const DETECTOR_FILE = join(__dirname, 'detector-thread.js');
