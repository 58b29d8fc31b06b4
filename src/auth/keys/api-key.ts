import { createHash, randomBytes } from 'node:crypto';

const PUBLIC_ID_LENGTH = 12;
const SECRET_BYTES = 32;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const MAX_KEY_LENGTH = 256;

/** Any of our keys: made here, or chosen by an operator for the first start. */
const ANY_KEY = /^bw_[A-Za-z0-9_.~+/=-]+$/;
const MADE_HERE = /^bw_live_([A-Za-z0-9]{12})_[A-Za-z0-9_-]{43}$/;

export interface NewApiKey {
  /** The whole key, shown once and stored nowhere. */
  readonly key: string;
  readonly publicId: string;
  readonly hash: string;
}

/** A key of 256 random bits needs no slow hash: it cannot be guessed from its digest. */
export const hashOf = (key: string): string => createHash('sha256').update(key, 'utf8').digest('hex');

function randomId(): string {
  let id = '';
  while (id.length < PUBLIC_ID_LENGTH) {
    // Bytes past the last whole multiple of the alphabet would favour its first letters.
    for (const byte of randomBytes(PUBLIC_ID_LENGTH)) if (byte < 248) id += ALPHABET[byte % ALPHABET.length] ?? '';
  }
  return id.slice(0, PUBLIC_ID_LENGTH);
}

/** `bw_live_<12-character id>_<43-character secret>` */
export function newApiKey(): NewApiKey {
  const publicId = randomId();
  const key = `bw_live_${publicId}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { key, publicId, hash: hashOf(key) };
}

/** False for what cannot be a key of ours, so that it never reaches the database. */
export const looksLikeApiKey = (text: string): boolean => text.length <= MAX_KEY_LENGTH && ANY_KEY.test(text);

/** The public id inside a key made here; null for any other shape. */
export const publicIdOf = (key: string): string | null => MADE_HERE.exec(key)?.[1] ?? null;
