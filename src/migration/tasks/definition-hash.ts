import { createHash } from 'node:crypto';
import type { RewriteSubject } from '../../assistants';

type Documents = Pick<RewriteSubject['definition'], 'metadata' | 'promptTemplate'>;

/** SHA-256 of the stored metadata and template. */
export const definitionHash = ({ metadata, promptTemplate }: Documents): string =>
  createHash('sha256')
    .update(JSON.stringify([metadata, promptTemplate]))
    .digest('hex');
