import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { AppError, notFound, uuidv7 } from '../../kernel';
import { CONFIG, type Config } from '../../platform/config';
import { isAt, openPlain, readBytes } from './plain-file';

/** Folder of blobs below the data directory: a room, then ids. */
export type BlobSpace = readonly [room: 'files' | 'knowledge-bases', organizationId: string, ...ids: string[]];

const SAFE_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
const STORAGE_FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const RETRY_SECONDS = 5;

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

function diskError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (STORAGE_FULL.has(codeOf(error))) {
    return new AppError('insufficient_storage', 'No space left for uploaded files', { cause: error });
  }
  return new AppError('unavailable', 'The file storage does not answer', { cause: error, retryAfter: RETRY_SECONDS });
}

/**
 * Uploaded bytes on disk under generated names; a client's file name never becomes a path. Reading accepts plain files only:
 * no symbolic link, hard link, FIFO or device.
 */
@Injectable()
export class BlobStore {
  private readonly root: string;

  constructor(@Inject(CONFIG) config: Config) {
    this.root = resolve(config.database.dataDir);
  }

  /** Stores the bytes under a new name and returns it. A failure leaves nothing behind. */
  async put(space: BlobSpace, bytes: Buffer): Promise<string> {
    const name = uuidv7();
    const folder = this.folder(space);
    const temporary = join(folder, `.${randomUUID()}.part`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeDurably(temporary, bytes);
      await rename(temporary, join(folder, name));
      return name;
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw diskError(error);
    }
  }

  /** The whole blob. @throws {AppError} `not_found` unless it is a plain file; `payload_too_large` beyond `maxBytes` */
  read(space: BlobSpace, name: string, maxBytes: number): Promise<Buffer> {
    return this.opened(space, name, (handle, folder) => readPlain(handle, folder, maxBytes));
  }

  /** The first `length` bytes of a blob, or all of a shorter one. @throws {AppError} `not_found` */
  readStart(space: BlobSpace, name: string, length: number): Promise<Buffer> {
    return this.opened(space, name, async (handle, folder) => {
      const size = await plainSize(handle, folder);
      return readBytes(handle, Math.min(size, length));
    });
  }

  /** A missing blob is no error. */
  async remove(space: BlobSpace, name: string): Promise<void> {
    await rm(join(this.folder(space), checked(name)), { force: true });
  }

  async removeAll(space: BlobSpace, names: readonly string[]): Promise<void> {
    for (const name of names) await this.remove(space, name);
  }

  /** Removes blobs that no row names. A failure is ignored: it costs disk space only, and the sweep tries again. */
  async discard(space: BlobSpace, names: readonly string[]): Promise<void> {
    await Promise.allSettled(names.map((name) => this.remove(space, name)));
  }

  /** Removes a space with everything in it. */
  async removeSpace(space: BlobSpace): Promise<void> {
    await rm(this.folder(space), { recursive: true, force: true });
  }

  private async opened(
    space: BlobSpace,
    name: string,
    work: (handle: FileHandle, realFolder: string) => Promise<Buffer>,
  ): Promise<Buffer> {
    const folder = this.folder(space);
    let handle: FileHandle;
    try {
      handle = await openPlain(join(folder, checked(name)));
    } catch (error) {
      if (['ENOENT', 'ELOOP', 'ENXIO', 'ENOTDIR', 'EISDIR'].includes(codeOf(error))) throw notFound('File content');
      throw diskError(error);
    }
    try {
      return await work(handle, join(await realpath(this.root), ...space));
    } catch (error) {
      throw diskError(error);
    } finally {
      await handle.close();
    }
  }

  private folder(space: BlobSpace): string {
    return join(this.root, ...space.map(checked));
  }
}

function checked(part: string): string {
  if (!SAFE_NAME.test(part)) throw new Error('Not a storage name');
  return part;
}

async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function plainSize(handle: FileHandle, folder: string): Promise<number> {
  const stats = await handle.stat();
  if (!stats.isFile() || stats.nlink !== 1 || !(await isAt(handle, (path) => path.startsWith(folder + sep))))
    throw notFound('File content');
  return stats.size;
}

async function readPlain(handle: FileHandle, folder: string, maxBytes: number): Promise<Buffer> {
  const size = await plainSize(handle, folder);
  if (size > maxBytes)
    throw new AppError('payload_too_large', `The file is larger than ${maxBytes} bytes`, {
      reason: 'file.too_large',
      values: { bytes: maxBytes },
    });
  return readBytes(handle, size);
}
