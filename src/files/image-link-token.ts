import { createHmac, timingSafeEqual } from 'node:crypto';

/** Which picture somebody may see. All ids are UUIDs. */
export interface ImageLinkTarget {
  readonly organizationId: string;
  readonly ownerId: string;
  readonly fileId: string;
  /** Of the file's content, 64 hex digits: whatever replaces it is not what was shown. */
  readonly sha256: string;
}

export interface StampedImage extends Omit<ImageLinkTarget, 'sha256'> {
  /** The first 16 hex digits. */
  readonly sha256Start: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

const VERSION = 1;
const UUID_BYTES = 16;
const HASH_BYTES = 8;
const TIME_BYTES = 6;
const HEAD_BYTES = 1 + TIME_BYTES + HASH_BYTES;
/** 128 of SHA-256's bits, the least that RFC 2104 §5 advises. */
const MAC_BYTES = 16;
const BODY_BYTES = HEAD_BYTES + 3 * UUID_BYTES;
const TOKEN = new RegExp(`^[0-9a-f]{${2 * (BODY_BYTES + MAC_BYTES)}}$`);

const macOf = (key: Buffer, body: Buffer): Buffer =>
  createHmac('sha256', key).update(body).digest().subarray(0, MAC_BYTES);

/** In hex: one spelling per token, and no run of it looks like a credential, which reports would black out. */
export function encodeImageToken(target: ImageLinkTarget, expiresAt: number, key: Buffer): string {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(VERSION);
  head.writeUIntBE(expiresAt, 1, TIME_BYTES);
  Buffer.from(target.sha256.slice(0, 2 * HASH_BYTES), 'hex').copy(head, 1 + TIME_BYTES);
  const ids = [target.organizationId, target.ownerId, target.fileId].map(uuidBytes);
  const body = Buffer.concat([head, ...ids]);
  return Buffer.concat([body, macOf(key, body)]).toString('hex');
}

/** Null for whatever none of the keys signed; an expired token is still read. */
export function decodeImageToken(token: unknown, keys: readonly Buffer[]): StampedImage | null {
  if (typeof token !== 'string' || !TOKEN.test(token)) return null;
  const bytes = Buffer.from(token, 'hex');
  const body = bytes.subarray(0, BODY_BYTES);
  const mac = bytes.subarray(BODY_BYTES);
  if (body.readUInt8() !== VERSION || !keys.some((key) => timingSafeEqual(macOf(key, body), mac))) return null;
  const id = (position: number): string => {
    const start = HEAD_BYTES + position * UUID_BYTES;
    return uuidText(body.subarray(start, start + UUID_BYTES));
  };
  return {
    organizationId: id(0),
    ownerId: id(1),
    fileId: id(2),
    sha256Start: body.subarray(1 + TIME_BYTES, HEAD_BYTES).toString('hex'),
    expiresAt: body.readUIntBE(1, TIME_BYTES),
  };
}

function uuidBytes(uuid: string): Buffer {
  const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex');
  if (bytes.length !== UUID_BYTES) throw new Error('An image link names UUIDs only');
  return bytes;
}

const uuidText = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
