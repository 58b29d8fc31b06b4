import type { Metering } from '../../src/metering';

/** Counts nothing, for tests of vendors without a database. */
export const UNMETERED = {
  of: () => ({ begin: () => ({ fail: () => undefined }), end: () => undefined }),
} as unknown as Metering;
