import { createHash } from 'node:crypto';
import { type FileHandle, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { normalisedName } from '../../kernel';
import { pathProblem } from '../storage/file-path';
import { isAt, openPlain, readBytes } from '../places/plain-file';

export type SourceFile =
  | { readonly found: true; readonly bytes: Buffer; readonly sha256: string }
  | { readonly found: false; readonly problem: string };

export type ImportedName =
  { readonly ok: true; readonly name: string } | { readonly ok: false; readonly problem: string };

const NOT_THERE = 'is not there';

const missing = (problem: string): SourceFile => ({ found: false, problem });

/** The file name here for a path of another system. Forbidden characters are replaced; a path that leaves its folder fails. */
export function importedName(path: string): ImportedName {
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

/** Reads a file below `root`, an untrusted folder of another system: plain files only, without symbolic or hard links. */
export async function readSourceFile(root: string, path: string, maxBytes: number): Promise<SourceFile> {
  const inside = importedName(path);
  if (!inside.ok || path.includes('\u0000')) return missing(inside.ok ? 'holds a control character' : inside.problem);
  const base = await realpath(root);
  const tries: SourceFile[] = [];
  for (const spelling of new Set([path, normalisedName(path), path.normalize('NFD')])) {
    const found = await readAt(join(base, spelling), maxBytes);
    if (found.found) return found;
    tries.push(found);
  }
  return tries.find((each) => !each.found && each.problem !== NOT_THERE) ?? missing(NOT_THERE);
}

async function readAt(place: string, maxBytes: number): Promise<SourceFile> {
  const real = await realpath(place).catch(() => null);
  if (real === null) return missing(NOT_THERE);
  if (real !== place) return missing('is reached by a symbolic link');
  let handle: FileHandle;
  try {
    handle = await openPlain(place);
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

async function readPlain(handle: FileHandle, place: string, maxBytes: number): Promise<SourceFile> {
  const stats = await handle.stat();
  const { size } = stats;
  if (!stats.isFile()) return missing('is not a plain file');
  if (stats.nlink !== 1) return missing('is a hard link');
  if (size > maxBytes) return missing(`is larger than ${maxBytes} bytes`);
  if (!(await isAt(handle, (path) => path === place))) return missing('is reached by a symbolic link');
  const bytes = await readBytes(handle, size);
  return { found: true, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}
