import {
  INTEGER_BYTES,
  openToken,
  sealToken,
  signedTokenPattern,
  UUID_BYTES,
  uuidAt,
  uuidToBytes,
} from '../../infrastructure/secrets';

/** A document and the rights to open it with. All ids but the assistant's are UUIDs. */
export interface SourceLinkTarget {
  readonly organizationId: string;
  readonly knowledgeBaseId: string;
  readonly documentId: string;
  /** User whose access rights count: the owner of the assistant, or the reader without an assistant. */
  readonly ownerId: string;
  /** User who got the link. */
  readonly readerId: string;
  /** Assistant that answered; null for a direct query of the knowledge base. */
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
  // 0 means none: the database counts from 1.
  head.writeUIntBE(assistantId ?? 0, 1 + INTEGER_BYTES, INTEGER_BYTES);
  const ids = [organizationId, knowledgeBaseId, documentId, ownerId, readerId].map(uuidToBytes);
  return sealToken(Buffer.concat([head, ...ids]), key);
}

/** Null unless one of the keys signed the token. The expiry is not checked. */
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
