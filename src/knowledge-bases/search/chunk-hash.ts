import { createHash } from 'node:crypto';

/** The same hash as `md5(text)` in PostgreSQL. */
export const chunkHash = (text: string): string => createHash('md5').update(text).digest('hex');
