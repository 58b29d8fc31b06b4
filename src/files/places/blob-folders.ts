import { isUuid } from '@bellwether/kernel';
import { type Dirent, constants } from 'node:fs';
import { type FileHandle, access, lstat, open, opendir, readlink, realpath, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../infrastructure/config';
import { BLOB_AREAS, type BlobBatch, type BlobArea } from './blob-storage.types';

/** Follows no symbolic link, and does not block on a FIFO, which would stop every file operation of the process. */
export const openPlain = (path: string): Promise<FileHandle> =>
  open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);

/** Whether the path of the opened file fulfils a condition, by `/proc`: a folder may have become a link since. */
export async function isAt(handle: FileHandle, condition: (path: string) => boolean): Promise<boolean> {
  const link = `/proc/self/fd/${handle.fd}`;
  const isVisible = await access(link).then(
    () => true,
    () => false,
  );
  return !isVisible || condition(await readlink(link));
}

/** The first `length` bytes, or all of a shorter file. */
export async function readBytes(handle: FileHandle, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await handle.read(bytes, read, length - read, read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return bytes.subarray(0, read);
}

/** UUIDv7, and the temporary name under which `DiskStorage.put` writes. */
const BLOB_NAME =
  /^([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.part)$/;
const BATCH = 1_000;

const isGone = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** Lists the blobs in the data directory. Follows no symbolic link. */
@Injectable()
export class BlobFolders {
  private readonly root: string;

  constructor(@Inject(CONFIG) config: Config) {
    this.root = resolve(config.database.dataDir);
  }

  async *batches(): AsyncGenerator<BlobBatch> {
    for (const area of BLOB_AREAS) {
      for await (const { name: organizationId } of foldersIn(join(this.root, area))) {
        for await (const { name: holderId } of foldersIn(join(this.root, area, organizationId))) {
          for await (const names of this.namesIn(area, organizationId, holderId)) {
            yield { area, organizationId, holderId, names };
          }
        }
      }
    }
  }

  /** Removes a regular file last modified before `time`, in ms. Returns its bytes, or null when nothing was removed. */
  async removeOlder({ area, organizationId, holderId }: BlobBatch, name: string, time: number): Promise<number | null> {
    const path = join(this.root, area, organizationId, holderId, name);
    try {
      const stats = await lstat(path);
      if (!stats.isFile() || stats.mtimeMs >= time) return null;
      await unlink(path);
      return stats.size;
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  }

  private async *namesIn(...space: readonly [BlobArea, string, string]): AsyncGenerator<string[]> {
    const folder = join(this.root, ...space);
    if ((await realpath(folder)) !== join(await realpath(this.root), ...space)) return;
    let names: string[] = [];
    for await (const entry of entriesOf(folder)) {
      if (!entry.isFile() || !BLOB_NAME.test(entry.name)) continue;
      names.push(entry.name);
      if (names.length < BATCH) continue;
      yield names;
      names = [];
    }
    if (names.length > 0) yield names;
  }
}

async function* foldersIn(folder: string): AsyncGenerator<Dirent> {
  for await (const entry of entriesOf(folder)) if (entry.isDirectory() && isUuid(entry.name)) yield entry;
}

/** A missing folder has no entries. */
async function* entriesOf(folder: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(folder);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
