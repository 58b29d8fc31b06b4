import { createHash, randomBytes } from 'node:crypto';

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Secret of a session or a sign-in link: 256 random bits. The database stores its digest. */
export const newSessionToken = (): string => randomBytes(32).toString('base64url');

export const looksLikeSessionToken = (text: string): boolean => TOKEN.test(text);

export const sessionHashOf = (token: string): string => createHash('sha256').update(token, 'utf8').digest('hex');
