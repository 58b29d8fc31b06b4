import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Names the process that has the files. */
const NOT_DATA = new Set(['postmaster.pid']);

/** Copies a data directory file by file, whatever its size. @throws the signal's reason, leaving what is there so far. */
export async function copyDataFiles(from: string, to: string, signal: AbortSignal): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    signal.throwIfAborted();
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyDataFiles(source, target, signal);
    else if (entry.isFile() && !NOT_DATA.has(entry.name)) {
      await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    }
  }
}

/** Bytes of all files below a directory; vanished files count nothing. */
export async function sizeOfFiles(directory: string): Promise<number> {
  let size = 0;
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    size += await stat(join(entry.parentPath, entry.name)).then(
      (found) => found.size,
      () => 0,
    );
  }
  return size;
}

/** A data directory that only this user reads; an engine can start on it. */
export const exportDirectory = (dataDir: string): string => join(dataDir, 'export');

/** Target of a copy of `<data directory>/postgres`. It is fixed, so no client can name another place. */
export const snapshotDirectory = (directory: string): string =>
  join(exportDirectory(dirname(directory)), basename(directory));
