import { Inject, Injectable } from '@nestjs/common';
import { INTEGER_BYTES, UUID_BYTES, openToken, sealToken, uuidAt, uuidToBytes } from '../infrastructure/secrets';
import { MembersService, OrganizationStatusService } from '../organizations';
import { LINKED_ASSISTANTS, type LinkedAssistants } from './linked-assistants.token';

/** Decides whether a signed link is still valid. */
@Injectable()
export class LinkCheck {
  constructor(
    private readonly members: MembersService,
    private readonly status: OrganizationStatusService,
    @Inject(LINKED_ASSISTANTS) private readonly assistants: LinkedAssistants,
  ) {}

  async showsImage({ organizationId, ownerId, assistantId }: StampedImage): Promise<boolean> {
    if (!(await this.areActive(organizationId, [ownerId]))) return false;
    return assistantId === null || this.assistants.isLive(organizationId, assistantId);
  }

  /** Whether the organization is not suspended and all users are enabled members. */
  async areActive(organizationId: string, userIds: readonly string[]): Promise<boolean> {
    const organization = (await this.status.of([organizationId])).get(organizationId);
    if (organization?.suspended !== false) return false;
    for (const userId of new Set(userIds)) {
      if ((await this.members.find(organizationId, userId))?.disabled !== false) return false;
    }
    return true;
  }
}

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
