import { INTEGER_BYTES, openToken, sealToken, UUID_BYTES, uuidAt, uuidToBytes } from '../infrastructure/secrets';

/** An image that a link shows. All ids but the assistant's are UUIDs. */
export interface ImageLinkTarget {
  readonly organizationId: string;
  readonly ownerId: string;
  readonly fileId: string;
  /** Assistant that made the image; null in links of version 1. */
  readonly assistantId: number | null;
  /** Hash of the content, 64 hex digits. The link does not show a replacement of the file. */
  readonly sha256: string;
}

export interface StampedImage extends Omit<ImageLinkTarget, 'sha256'> {
  /** The first 16 hex digits. */
  readonly sha256Start: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

const WITHOUT_ASSISTANT = 1;
const VERSION = 2;
const HASH_BYTES = 8;
const HEAD_BYTES = 1 + INTEGER_BYTES + HASH_BYTES;
const IDS_END = HEAD_BYTES + 3 * UUID_BYTES;
const BODY_BYTES = IDS_END + INTEGER_BYTES;

export function encodeImageToken(
  target: ImageLinkTarget & { readonly assistantId: number },
  expiresAt: number,
  key: Buffer,
): string {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(VERSION);
  head.writeUIntBE(expiresAt, 1, INTEGER_BYTES);
  Buffer.from(target.sha256.slice(0, 2 * HASH_BYTES), 'hex').copy(head, 1 + INTEGER_BYTES);
  const ids = [target.organizationId, target.ownerId, target.fileId].map(uuidToBytes);
  const assistant = Buffer.alloc(INTEGER_BYTES);
  assistant.writeUIntBE(target.assistantId, 0, INTEGER_BYTES);
  return sealToken(Buffer.concat([head, ...ids, assistant]), key);
}

/** Null unless one of the keys signed the token. The expiry is not checked. */
export function decodeImageToken(token: unknown, keys: readonly Buffer[]): StampedImage | null {
  const current = openToken(token, BODY_BYTES, keys);
  if (current?.readUInt8() === VERSION) return read(current, current.readUIntBE(IDS_END, INTEGER_BYTES));
  const first = openToken(token, IDS_END, keys);
  return first?.readUInt8() === WITHOUT_ASSISTANT ? read(first, null) : null;
}

function read(body: Buffer, assistantId: number | null): StampedImage {
  const id = (position: number): string => uuidAt(body, HEAD_BYTES + position * UUID_BYTES);
  return {
    organizationId: id(0),
    ownerId: id(1),
    fileId: id(2),
    assistantId,
    sha256Start: body.toString('hex', 1 + INTEGER_BYTES, HEAD_BYTES),
    expiresAt: body.readUIntBE(1, INTEGER_BYTES),
  };
}
