import { compiledFile } from './compiled';

/** Stands in for `src/platform/languages/detector-file`: global set-up compiles the thread. */
export const DETECTOR_FILE = compiledFile('src/platform/languages/detector-thread.js');
