import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { KbFile } from './kb-tables';

export type Original = { readonly bytes: Buffer } | { readonly refusal: string };

const refused = (refusal: string): Original => ({ refusal });

/** The path below `static/`. The server stores its own absolute path, in which the folder may occur twice. */
function relativePath({ path, url }: KbFile): string | null {
  for (const text of [path.replaceAll('\\', '/'), pathOf(url)]) {
    const at = text.lastIndexOf('/static/');
    if (at >= 0) return text.slice(at + '/static/'.length);
    if (text.startsWith('static/')) return text.slice('static/'.length);
  }
  return null;
}

function pathOf(url: string): string {
  if (!URL.canParse(url)) return '';
  try {
    return decodeURIComponent(new URL(url).pathname);
  } catch {
    return '';
  }
}

/** Where the original lies, or why it is not looked for. */
function placeOf(folder: string | null, file: KbFile): { readonly target: string } | { readonly refusal: string } {
  if (folder === null) return { refusal: 'the data folder has no static/' };
  const path = relativePath(file);
  if (path === null || path === '' || path.includes('\0')) return { refusal: 'its path is not in static/' };
  const parts = path.split('/');
  if (parts.includes('..') || parts.includes('.')) return { refusal: OUTSIDE };
  return { target: join(folder, ...parts) };
}

const OUTSIDE = 'its path leads out of static/';

/** The Markdown that LAMB keeps beside an original which it converted; null when there is none. */
export async function readConverted(folder: string | null, file: KbFile, maxBytes: number): Promise<Buffer | null> {
  const beside = (text: string): string => text.replace(/\.[^./\\]{1,16}$/, '.md');
  const [path, url] = [beside(file.path), beside(file.url)];
  if (path === file.path) return null;
  const found = await readOriginal(folder, { ...file, path, url }, maxBytes);
  return 'bytes' in found && found.bytes.length > 0 ? found.bytes : null;
}

/** The original of a file. Paths come from the source: nothing outside the folder is read, and no symbolic link. */
export async function readOriginal(folder: string | null, file: KbFile, maxBytes: number): Promise<Original> {
  const place = placeOf(folder, file);
  if ('refusal' in place || folder === null) return refused('refusal' in place ? place.refusal : OUTSIDE);
  try {
    return await readInside(folder, place.target, maxBytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return refused('its original is not there');
    return refused(`its original cannot be read: ${code ?? 'unknown error'}`);
  }
}

async function readInside(folder: string, target: string, maxBytes: number): Promise<Original> {
  if ((await lstat(target)).isSymbolicLink()) return refused('is a symbolic link');
  const root = await realpath(folder);
  if (!(await realpath(target)).startsWith(root + sep)) return refused(OUTSIDE);
  const found = await stat(target);
  if (!found.isFile()) return refused('is not a file');
  if (found.size > maxBytes) return refused(`is larger than ${maxBytes} bytes`);
  return { bytes: await readFile(target) };
}
