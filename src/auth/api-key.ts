import { createHash, randomBytes } from 'node:crypto';

const PUBLIC_ID_LENGTH = 12;
const SECRET_BYTES = 32;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const MAX_KEY_LENGTH = 256;

/** Keys made here, and keys that an operator chose for the first start. */
const ANY_KEY = /^bw_[A-Za-z0-9_.~+/=-]+$/;
const MADE_HERE = /^bw_live_([A-Za-z0-9]{12})_[A-Za-z0-9_-]{43}$/;

export interface NewApiKey {
  readonly key: string;
  readonly publicId: string;
  readonly hash: string;
}

/** 256 random bits need no slow hash. */
export const hashOf = (key: string): string => createHash('sha256').update(key, 'utf8').digest('hex');

function randomId(): string {
  let id = '';
  while (id.length < PUBLIC_ID_LENGTH) {
    // Larger bytes would favour the first letters of the alphabet.
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

/** False for texts that are no keys, which then never reach the database. */
export const looksLikeApiKey = (text: string): boolean => text.length <= MAX_KEY_LENGTH && ANY_KEY.test(text);

/** Public id of a key made here; null for other keys. */
export const publicIdOf = (key: string): string | null => MADE_HERE.exec(key)?.[1] ?? null;
