import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { normalisedName, pathProblem } from './storage/file-path';

export type OutsideFile =
  | { readonly found: true; readonly bytes: Buffer; readonly sha256: string }
  | { readonly found: false; readonly problem: string };

export type InsideName =
  { readonly ok: true; readonly name: string } | { readonly ok: false; readonly problem: string };

const NOT_THERE = 'is not there';

const missing = (problem: string): OutsideFile => ({ found: false, problem });

/**
 * The name that a path of another system gets here: the same one, or where our rules forbid it the nearest that they
 * allow. A path that would leave its folder has none.
 */
export function insideName(path: string): InsideName {
  if (path.startsWith('/')) return { ok: false, problem: 'is absolute' };
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const name = normalisedName(parts.map(withoutForbidden).join('/'));
  const problem = pathProblem(name);
  return problem === null ? { ok: true, name } : { ok: false, problem };
}

const withoutForbidden = (part: string): string =>
  [...part]
    .map((character) => (character < ' ' || character === '\u007f' || character === '\\' ? '_' : character))
    .join('');

/**
 * A file below `root`, a folder that another system filled. Nothing that lies there is trusted: only a plain file counts
 * that is reached without any symbolic link and has no second name elsewhere.
 */
export async function readOutsideFile(root: string, path: string, maxBytes: number): Promise<OutsideFile> {
  const inside = insideName(path);
  if (!inside.ok || path.includes('\u0000')) return missing(inside.ok ? 'holds a control character' : inside.problem);
  const base = await realpath(root);
  const tries: OutsideFile[] = [];
  for (const spelling of new Set([path, normalisedName(path), path.normalize('NFD')])) {
    const found = await readAt(join(base, spelling), maxBytes);
    if (found.found) return found;
    tries.push(found);
  }
  return tries.find((each) => !each.found && each.problem !== NOT_THERE) ?? missing(NOT_THERE);
}

async function readAt(place: string, maxBytes: number): Promise<OutsideFile> {
  const real = await realpath(place).catch(() => null);
  if (real === null) return missing(NOT_THERE);
  if (real !== place) return missing('is reached by a symbolic link');
  let handle: FileHandle;
  try {
    handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return missing('cannot be read');
  }
  try {
    return await readPlain(handle, place, maxBytes);
  } catch {
    return missing('cannot be read');
  } finally {
    await handle.close();
  }
}

async function readPlain(handle: FileHandle, place: string, maxBytes: number): Promise<OutsideFile> {
  const stats = await handle.stat();
  const { size } = stats;
  if (!stats.isFile()) return missing('is not a plain file');
  if (stats.nlink !== 1) return missing('has a second name, a hard link');
  if (size > maxBytes) return missing(`is larger than ${maxBytes} bytes`);
  if (!(await isStillAt(handle, place))) return missing('is reached by a symbolic link');
  const buffer = Buffer.alloc(size);
  let read = 0;
  while (read < size) {
    const { bytesRead } = await handle.read(buffer, read, size - read, read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  const bytes = buffer.subarray(0, read);
  return { found: true, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Where the opened file really is, asked of the kernel: a folder may have become a link since it was looked at. */
async function isStillAt(handle: FileHandle, place: string): Promise<boolean> {
  const link = `/proc/self/fd/${handle.fd}`;
  const visible = await access(link).then(
    () => true,
    () => false,
  );
  return !visible || (await readlink(link)) === place;
}
