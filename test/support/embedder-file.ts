import { compiledFile } from './compiled';

/** Stands in for `src/connectors/embeddings/folder/embedder-file`: global set-up compiles the thread. */
export const EMBEDDER_FILE = compiledFile('src/connectors/embeddings/folder/embedder-thread.js');
