import { createHash } from 'node:crypto';

/** Of a question, ignoring white space around and in it, and case. */
export const questionHash = (question: string): string =>
  createHash('sha256').update(question.trim().replace(/\s+/g, ' ').toLowerCase()).digest('hex');

/** Of a passage of these chunks. */
export const passageHash = (chunks: readonly string[]): string =>
  createHash('sha256').update(chunks.join(' ')).digest('hex');
