import { AppError, notFound } from '@bellwether/kernel';
import { randomUUID } from 'node:crypto';
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../infrastructure/config';
import { BlobFolders, isAt, openPlain, readBytes } from './blob-folders';
import {
  type BlobBatch,
  type BlobStorage,
  type BlobSpace,
  checkedPart as checked,
  tooLarge,
} from './blob-storage.types';

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

/** Uploaded bytes on disk. Reading accepts plain files only: no symbolic link, hard link, FIFO or device. */
@Injectable()
export class DiskStorage implements BlobStorage {
  readonly name = 'disk';
  private readonly root: string;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly folders: BlobFolders,
  ) {
    this.root = resolve(config.database.dataDir);
  }

  async put(space: BlobSpace, name: string, bytes: Buffer): Promise<void> {
    const folder = this.folder(space);
    const temporary = join(folder, `.${randomUUID()}.part`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeDurably(temporary, bytes);
      await rename(temporary, join(folder, checked(name)));
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw diskError(error);
    }
  }

  read(space: BlobSpace, name: string, maxBytes: number): Promise<Buffer> {
    return this.opened(space, name, (handle, folder) => readPlain(handle, folder, maxBytes));
  }

  readStart(space: BlobSpace, name: string, length: number): Promise<Buffer> {
    return this.opened(space, name, async (handle, folder) => {
      const size = await plainSize(handle, folder);
      return readBytes(handle, Math.min(size, length));
    });
  }

  async size(space: BlobSpace, name: string): Promise<number | null> {
    try {
      const stats = await lstat(join(this.folder(space), checked(name)));
      return stats.isFile() ? stats.size : null;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw diskError(error);
    }
  }

  async remove(space: BlobSpace, name: string): Promise<void> {
    await rm(join(this.folder(space), checked(name)), { force: true });
  }

  async removeSpace(space: BlobSpace): Promise<void> {
    await rm(this.folder(space), { recursive: true, force: true });
  }

  batches(): AsyncGenerator<BlobBatch> {
    return this.folders.batches();
  }

  removeOlder(batch: BlobBatch, name: string, time: number): Promise<number | null> {
    return this.folders.removeOlder(batch, name, time);
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
  if (size > maxBytes) throw tooLarge(maxBytes);
  return readBytes(handle, size);
}
