import { INTEGER_BYTES, openToken, sealToken, UUID_BYTES, uuidAt, uuidToBytes } from '../platform/secrets';

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
const HASH_BYTES = 8;
const HEAD_BYTES = 1 + INTEGER_BYTES + HASH_BYTES;
const BODY_BYTES = HEAD_BYTES + 3 * UUID_BYTES;

export function encodeImageToken(target: ImageLinkTarget, expiresAt: number, key: Buffer): string {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(VERSION);
  head.writeUIntBE(expiresAt, 1, INTEGER_BYTES);
  Buffer.from(target.sha256.slice(0, 2 * HASH_BYTES), 'hex').copy(head, 1 + INTEGER_BYTES);
  const ids = [target.organizationId, target.ownerId, target.fileId].map(uuidToBytes);
  return sealToken(Buffer.concat([head, ...ids]), key);
}

/** Null for whatever none of the keys signed; an expired token is still read. */
export function decodeImageToken(token: unknown, keys: readonly Buffer[]): StampedImage | null {
  const body = openToken(token, BODY_BYTES, keys);
  if (body?.readUInt8() !== VERSION) return null;
  const id = (position: number): string => uuidAt(body, HEAD_BYTES + position * UUID_BYTES);
  return {
    organizationId: id(0),
    ownerId: id(1),
    fileId: id(2),
    sha256Start: body.toString('hex', 1 + INTEGER_BYTES, HEAD_BYTES),
    expiresAt: body.readUIntBE(1, INTEGER_BYTES),
  };
}
