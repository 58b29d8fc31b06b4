import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const VERSION = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;
export const KEY_BYTES = 32;

/** Readable parts of a sealed value. */
export interface Sealed {
  readonly kid: string;
  readonly payload: Buffer;
}

/** Additional authenticated data: a value moved to another organization or field does not open. */
export const placeOf = (organizationId: string, field: string): string => `org|${organizationId}|${field}`;

/** `v1:<kid>:<base64url of iv, ciphertext, tag>`; AES-256-GCM (NIST SP 800-38D) with a random 96-bit iv and a full tag. */
export function seal(kid: string, key: Buffer, place: string, plain: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(place, 'utf8'));
  const sealed = Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return `${VERSION}:${kid}:${sealed.toString('base64url')}`;
}

export function parseSealed(text: string): Sealed | null {
  const [version, kid, payload, ...rest] = text.split(':');
  if (version !== VERSION || !kid || !payload || rest.length > 0) return null;
  const bytes = Buffer.from(payload, 'base64url');
  return bytes.length < IV_BYTES + TAG_BYTES ? null : { kid, payload: bytes };
}

export const isSealed = (text: string): boolean => parseSealed(text) !== null;

/** @throws when key, place or any bit differs */
export function open(sealed: Sealed, key: Buffer, place: string): Buffer {
  const iv = sealed.payload.subarray(0, IV_BYTES);
  const tag = sealed.payload.subarray(-TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(place, 'utf8'));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.payload.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
}
