import { constants } from 'node:fs';
import { access, type FileHandle, open, readlink } from 'node:fs/promises';

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
