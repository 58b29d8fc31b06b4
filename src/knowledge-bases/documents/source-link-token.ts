import { createHmac, timingSafeEqual } from 'node:crypto';

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
const UUID_BYTES = 16;
const TIME_BYTES = 6;
/** 0 stands for none: the database counts from 1. */
const ASSISTANT_BYTES = 6;
const HEAD_BYTES = 1 + TIME_BYTES + ASSISTANT_BYTES;
/** 128 of SHA-256's bits, the least that RFC 2104 §5 advises. */
const MAC_BYTES = 16;
const BODY_BYTES = HEAD_BYTES + 5 * UUID_BYTES;
const TOKEN_CHARS = 2 * (BODY_BYTES + MAC_BYTES);

/** Hex on purpose: one spelling per token, and no run of it looks like a vendor's key, which reports would black out. */
export const TOKEN_PATTERN = `[0-9a-f]{${TOKEN_CHARS}}`;
const TOKEN = new RegExp(`^${TOKEN_PATTERN}$`);

const macOf = (key: Buffer, body: Buffer): Buffer =>
  createHmac('sha256', key).update(body).digest().subarray(0, MAC_BYTES);

export function encodeToken(target: StampedTarget, key: Buffer): string {
  const { organizationId, knowledgeBaseId, documentId, ownerId, readerId, assistantId, expiresAt } = target;
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(VERSION);
  head.writeUIntBE(expiresAt, 1, TIME_BYTES);
  head.writeUIntBE(assistantId ?? 0, 1 + TIME_BYTES, ASSISTANT_BYTES);
  const ids = [organizationId, knowledgeBaseId, documentId, ownerId, readerId].map(uuidBytes);
  const body = Buffer.concat([head, ...ids]);
  return Buffer.concat([body, macOf(key, body)]).toString('hex');
}

/** Null for whatever none of the keys signed; an expired token is still read. */
export function decodeToken(token: unknown, keys: readonly Buffer[]): StampedTarget | null {
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
    knowledgeBaseId: id(1),
    documentId: id(2),
    ownerId: id(3),
    readerId: id(4),
    assistantId: body.readUIntBE(1 + TIME_BYTES, ASSISTANT_BYTES) || null,
    expiresAt: body.readUIntBE(1, TIME_BYTES),
  };
}

function uuidBytes(uuid: string): Buffer {
  const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex');
  if (bytes.length !== UUID_BYTES) throw new Error('A source link names UUIDs only');
  return bytes;
}

const uuidText = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
