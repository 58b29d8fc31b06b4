import { createHash, randomBytes } from 'node:crypto';

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** What a browser holds of a session, or a link of it: 256 random bits, of which the database knows the digest only. */
export const newSessionToken = (): string => randomBytes(32).toString('base64url');

export const looksLikeSessionToken = (text: string): boolean => TOKEN.test(text);

export const sessionHashOf = (token: string): string => createHash('sha256').update(token, 'utf8').digest('hex');
