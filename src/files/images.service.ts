import { type KeyObject, createHash } from 'node:crypto';
import { AppError, type Caller, type Principal, orNull, uuidv7 } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { fileTypeFromBuffer } from 'file-type/core';
import { CONFIG, type Config } from '../infrastructure/config';
import { withinOrganization } from '../infrastructure/database';
import {
  INTEGER_BYTES,
  SecretsService,
  UUID_BYTES,
  openToken,
  sealToken,
  uuidAt,
  uuidToBytes,
} from '../infrastructure/secrets';
import { MembersService, OrganizationStatusService } from '../organizations';
import { type FileContent, FilesService, type StoredFile } from './files.service';
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
interface ImageLinkTarget {
  readonly organizationId: string;
  readonly ownerId: string;
  readonly fileId: string;
  /** Assistant that made the image; null in links of version 1. */
  readonly assistantId: number | null;
  /** Hash of the content, 64 hex digits. The link does not show a replacement of the file. */
  readonly sha256: string;
}

interface StampedImage extends Omit<ImageLinkTarget, 'sha256'> {
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
  key: KeyObject,
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
export function decodeImageToken(token: unknown, keys: readonly KeyObject[]): StampedImage | null {
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

/** Limit of one image in bytes. */
export const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
/** Limit of images in one answer. */
const MAX_IMAGES = 16;

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/webp', 'webp'],
  ['image/gif', 'gif'],
]);

const PURPOSE = 'image-links';
const PATH = '/api/v1/images?link=';

const now = (): number => Math.floor(Date.now() / 1000);

/** The same error for everything missing, so that a link does not reveal what exists. */
const nowhere = (): AppError => new AppError('not_found', 'This link does not lead to an image, or no longer');

/** The assistant whose model made an image, and its owner, who gets the file. */
export interface ImageMaker {
  readonly owner: Principal;
  readonly assistantId: number;
}

export interface SavedImage {
  readonly file: StoredFile;
  /** Opens without a credential; absolute where `PUBLIC_URL` is set, else a path. */
  readonly url: string;
}

/** Images that models made: files of the assistant's owner, with signed links for chat clients. */
@Injectable()
export class ImagesService {
  /** Newest first. Links signed with an older key stay valid until they expire. */
  private readonly keys: readonly KeyObject[];
  private readonly base: string;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    secrets: SecretsService,
    private readonly files: FilesService,
    private readonly check: LinkCheck,
  ) {
    this.keys = secrets.derivedKeys(PURPOSE);
    this.base = config.http.publicUrl?.replace(/(?<!\/)\/+$/, '') ?? '';
  }

  /**
   * Stores all images or none, in the owner's folder `images`. The content decides the type.
   * @throws {AppError} `payload_too_large`, `upstream_bad_response` for anything but an image
   */
  async save(
    { owner, assistantId }: ImageMaker,
    actor: Caller,
    images: readonly Buffer[],
  ): Promise<readonly SavedImage[]> {
    if (images.length > MAX_IMAGES) {
      throw new AppError('upstream_bad_response', `The model made more than ${MAX_IMAGES} images at once`);
    }
    const uploads = await Promise.all(
      images.map(async (bytes) => ({
        name: `images/${uuidv7()}.${await extensionOf(bytes)}`,
        size: bytes.length,
        bytes,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      })),
    );
    const saved = new Map((await this.files.store(owner, actor, uploads)).map((file) => [file.path, file] as const));
    return uploads.flatMap(({ name }) => {
      const file = saved.get(name);
      return file === undefined ? [] : [{ file, url: this.link({ owner, assistantId }, file) }];
    });
  }

  /** @throws {AppError} `not_found`, `link_expired` */
  async open(token: unknown): Promise<FileContent> {
    const target = decodeImageToken(token, this.keys);
    if (target === null) throw nowhere();
    if (target.expiresAt <= now()) throw new AppError('link_expired', 'This link has expired');
    const found = await orNull('not_found', () => withinOrganization(target.organizationId, () => this.read(target)));
    if (found === null) throw nowhere();
    return found;
  }

  private async read(target: StampedImage): Promise<FileContent> {
    if (!(await this.check.showsImage(target))) throw nowhere();
    const { organizationId, ownerId, fileId, sha256Start } = target;
    const owner = { organizationId, userId: ownerId };
    const { sha256, content_type: type } = await this.files.get(owner, fileId);
    if (!sha256.startsWith(sha256Start) || !EXTENSIONS.has(type)) throw nowhere();
    return this.files.download(owner, fileId);
  }

  /** Without a key: the route that needs a credential. */
  private link({ owner: { organizationId, userId }, assistantId }: ImageMaker, { id, sha256 }: StoredFile): string {
    const [key] = this.keys;
    if (key === undefined) return `${this.base}/api/v1/files/${id}/content`;
    const target = { organizationId, ownerId: userId, fileId: id, assistantId, sha256 };
    return this.base + PATH + encodeImageToken(target, now() + this.config.imageLinks.ttlSeconds, key);
  }
}

async function extensionOf(bytes: Buffer): Promise<string> {
  if (bytes.length > MAX_IMAGE_BYTES) {
    throw new AppError('payload_too_large', `The image is larger than ${MAX_IMAGE_BYTES / 1024 / 1024} MB`);
  }
  const extension = EXTENSIONS.get((await fileTypeFromBuffer(bytes))?.mime ?? '');
  if (extension === undefined)
    throw new AppError('upstream_bad_response', 'The model returned data that is not an image');
  return extension;
}

/** Images as Markdown, one paragraph each. */
export const imagesMarkdown = (images: readonly SavedImage[]): string =>
  images.map(({ url }, index) => `![Generated image${images.length > 1 ? ` ${index + 1}` : ''}](${url})`).join('\n\n');
