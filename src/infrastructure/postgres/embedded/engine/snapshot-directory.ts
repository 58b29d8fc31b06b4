import { basename, dirname, join } from 'node:path';

/** A data directory that only this user reads; an engine can start on it. */
export const exportDirectory = (dataDir: string): string => join(dataDir, 'export');

/** Target of a copy of `<data directory>/postgres`. It is fixed, so no client can name another place. */
export const snapshotDirectory = (directory: string): string =>
  join(exportDirectory(dirname(directory)), basename(directory));
