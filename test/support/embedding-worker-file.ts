import { compiledFile } from './compiled';

/** Stands in for `src/connectors/embeddings/local/local-worker-file`: global set-up compiles what the thread runs. */
export const WORKER_FILE = compiledFile('src/connectors/embeddings/local/local.worker.js');
