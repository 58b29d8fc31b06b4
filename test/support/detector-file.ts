import { compiledFile } from './compiled';

/** Stands in for `src/infrastructure/languages/detector-file`: global set-up compiles the thread. */
export const DETECTOR_FILE = compiledFile('src/infrastructure/languages/detector-thread.js');
