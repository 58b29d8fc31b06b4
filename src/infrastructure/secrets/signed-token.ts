import { type KeyObject, createHmac, timingSafeEqual } from 'node:crypto';

/** 128 bits of SHA-256: the minimum of RFC 2104 §5. */
const MAC_BYTES = 16;

export const UUID_BYTES = 16;
/** 48 bits: epoch seconds, or any safe integer. */
export const INTEGER_BYTES = 6;

const macOf = (key: KeyObject, body: Buffer): Buffer =>
  createHmac('sha256', key).update(body).digest().subarray(0, MAC_BYTES);

/**
 * Pattern of a token over a body of `bodyBytes`. Hex has one spelling per token and does not look like a vendor's key,
 * which reports would mask.
 */
export const signedTokenPattern = (bodyBytes: number): string => `[0-9a-f]{${2 * (bodyBytes + MAC_BYTES)}}`;

/** Signs the body, which stays readable. */
export const sealToken = (body: Buffer, key: KeyObject): string =>
  Buffer.concat([body, macOf(key, body)]).toString('hex');

/** The body; null unless one of the keys signed it. */
export function openToken(token: unknown, bodyBytes: number, keys: readonly KeyObject[]): Buffer | null {
  const length = 2 * (bodyBytes + MAC_BYTES);
  if (typeof token !== 'string' || token.length !== length || !/^[0-9a-f]+$/.test(token)) return null;
  const bytes = Buffer.from(token, 'hex');
  const body = bytes.subarray(0, bodyBytes);
  const mac = bytes.subarray(bodyBytes);
  return keys.some((key) => timingSafeEqual(macOf(key, body), mac)) ? body : null;
}

/** @throws for anything but a UUID: a shorter id would shift the fields after it */
export function uuidToBytes(uuid: string): Buffer {
  const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex');
  if (bytes.length !== UUID_BYTES) throw new Error('A signed token names UUIDs only');
  return bytes;
}

/** The UUID that begins at `start`. */
export const uuidAt = (bytes: Buffer, start: number): string =>
  bytes.toString('hex', start, start + UUID_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
