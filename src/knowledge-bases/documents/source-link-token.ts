import {
  INTEGER_BYTES,
  openToken,
  sealToken,
  signedTokenPattern,
  UUID_BYTES,
  uuidAt,
  uuidToBytes,
} from '../../platform/secrets';

/** Which document somebody may open, and on whose rights. All ids are UUIDs. */
export interface SourceLinkTarget {
  readonly organizationId: string;
  readonly knowledgeBaseId: string;
  readonly documentId: string;
  /** Whose reading rights opened the knowledge base: the assistant's owner, or the reader when no assistant was asked. */
  readonly ownerId: string;
  /** Who was given the link. */
  readonly readerId: string;
  /** Assistant that the reader asked; null when they asked the knowledge base itself. */
  readonly assistantId: number | null;
}

export interface StampedTarget extends SourceLinkTarget {
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

const VERSION = 2;
const HEAD_BYTES = 1 + 2 * INTEGER_BYTES;
const BODY_BYTES = HEAD_BYTES + 5 * UUID_BYTES;

export const TOKEN_PATTERN = signedTokenPattern(BODY_BYTES);

export function encodeToken(target: StampedTarget, key: Buffer): string {
  const { organizationId, knowledgeBaseId, documentId, ownerId, readerId, assistantId, expiresAt } = target;
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(VERSION);
  head.writeUIntBE(expiresAt, 1, INTEGER_BYTES);
  // 0 stands for none: the database counts from 1.
  head.writeUIntBE(assistantId ?? 0, 1 + INTEGER_BYTES, INTEGER_BYTES);
  const ids = [organizationId, knowledgeBaseId, documentId, ownerId, readerId].map(uuidToBytes);
  return sealToken(Buffer.concat([head, ...ids]), key);
}

/** Null for whatever none of the keys signed; an expired token is still read. */
export function decodeToken(token: unknown, keys: readonly Buffer[]): StampedTarget | null {
  const body = openToken(token, BODY_BYTES, keys);
  if (body?.readUInt8() !== VERSION) return null;
  const id = (position: number): string => uuidAt(body, HEAD_BYTES + position * UUID_BYTES);
  return {
    organizationId: id(0),
    knowledgeBaseId: id(1),
    documentId: id(2),
    ownerId: id(3),
    readerId: id(4),
    assistantId: body.readUIntBE(1 + INTEGER_BYTES, INTEGER_BYTES) || null,
    expiresAt: body.readUIntBE(1, INTEGER_BYTES),
  };
}
