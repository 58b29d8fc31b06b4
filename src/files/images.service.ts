import { createHash } from 'node:crypto';
import { AppError, type Caller, type Principal, uuidv7, orNull } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { fileTypeFromBuffer } from 'file-type/core';
import { CONFIG, type Config } from '../infrastructure/config';
import { withinOrganization } from '../infrastructure/database';
import { SecretsService } from '../infrastructure/secrets';
import { type FileContent, FilesService, type StoredFile } from './files.service';
import { LinkCheck, type StampedImage, decodeImageToken, encodeImageToken } from './image-link-token';

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
  private readonly keys: readonly Buffer[];
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
