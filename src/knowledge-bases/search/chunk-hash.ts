import { createHash } from 'node:crypto';

/** As `md5(text)` in PostgreSQL. */
export const chunkHash = (text: string): string => createHash('md5').update(text).digest('hex');
