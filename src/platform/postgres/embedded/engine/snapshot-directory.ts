import { basename, dirname, join } from 'node:path';

/** Private, and a data directory in its own right: an engine can be started on it. */
export const exportDirectory = (dataDir: string): string => join(dataDir, 'export');

/** Where the files of `<data directory>/postgres` are copied to: fixed, so that no client can name any other place. */
export const snapshotDirectory = (directory: string): string =>
  join(exportDirectory(dirname(directory)), basename(directory));
