import { createHmac, timingSafeEqual } from 'node:crypto';

/** 128 of SHA-256's bits, the least that RFC 2104 §5 advises. */
const MAC_BYTES = 16;

export const UUID_BYTES = 16;
/** Enough for seconds since 1970, and for any integer that is safe in JavaScript. */
export const INTEGER_BYTES = 6;

const macOf = (key: Buffer, body: Buffer): Buffer =>
  createHmac('sha256', key).update(body).digest().subarray(0, MAC_BYTES);

/**
 * Regular expression of a token over a body of so many bytes. Hex on purpose: one spelling per token, and no run of it looks
 * like a vendor's key, which reports would black out.
 */
export const signedTokenPattern = (bodyBytes: number): string => `[0-9a-f]{${2 * (bodyBytes + MAC_BYTES)}}`;

/** The body with its signature. It is readable without a key, and cannot be made without one. */
export const sealToken = (body: Buffer, key: Buffer): string => Buffer.concat([body, macOf(key, body)]).toString('hex');

/** The body; null unless one of the keys signed a token over `bodyBytes` bytes. */
export function openToken(token: unknown, bodyBytes: number, keys: readonly Buffer[]): Buffer | null {
  const length = 2 * (bodyBytes + MAC_BYTES);
  if (typeof token !== 'string' || token.length !== length || !/^[0-9a-f]+$/.test(token)) return null;
  const bytes = Buffer.from(token, 'hex');
  const body = bytes.subarray(0, bodyBytes);
  const mac = bytes.subarray(bodyBytes);
  return keys.some((key) => timingSafeEqual(macOf(key, body), mac)) ? body : null;
}

/** @throws for what is no UUID: a shorter id would move everything behind it. */
export function uuidToBytes(uuid: string): Buffer {
  const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex');
  if (bytes.length !== UUID_BYTES) throw new Error('A signed token names UUIDs only');
  return bytes;
}

/** The UUID that begins at `start`. */
export const uuidAt = (bytes: Buffer, start: number): string =>
  bytes.toString('hex', start, start + UUID_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
