import { compiledFile } from './compiled';

/** Stands in for `packages/model-folder/src/embedder-file`: global set-up compiles the thread. */
export const EMBEDDER_FILE = compiledFile('packages/model-folder/src/embedder-thread.js');
