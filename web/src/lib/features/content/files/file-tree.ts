import type { Schema } from '$lib/kit/api/client';

export type StoredFile = Schema<'FileDto'>;

export interface Folder {
  /** Without a slash at the end; '' is the top. */
  readonly path: string;
  readonly name: string;
  /** Files in it and below. */
  readonly count: number;
}

const nameIn = (path: string, folder: string): string => path.slice(folder === '' ? 0 : folder.length + 1);
const isIn = (path: string, folder: string): boolean => folder === '' || path.startsWith(`${folder}/`);

/** Content of a folder: its folders by name, then its files. Folders are only parts of paths. */
export function listing(
  files: readonly StoredFile[],
  folder: string,
): { folders: readonly Folder[]; files: readonly StoredFile[] } {
  const inside = files.filter(({ path }) => isIn(path, folder));
  const counts = new Map<string, number>();
  for (const { path } of inside) {
    const [first, rest] = nameIn(path, folder).split('/', 2);
    if (rest !== undefined && first !== undefined) counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  return {
    folders: [...counts]
      .map(([name, count]) => ({ name, count, path: folder === '' ? name : `${folder}/${name}` }))
      .sort((a, b) => a.name.localeCompare(b.name)),
    files: inside.filter(({ path }) => !nameIn(path, folder).includes('/')),
  };
}

/** The list with files that are new, or newer, in it. */
export function merged(files: readonly StoredFile[], news: readonly StoredFile[]): readonly StoredFile[] {
  const newer = new Set(news.map(({ id }) => id));
  return [...files.filter(({ id }) => !newer.has(id)), ...news].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Every folder on the way to `folder`, from the top. */
export const trail = (folder: string): readonly Folder[] =>
  folder === ''
    ? []
    : folder.split('/').map((name, index, parts) => ({ name, path: parts.slice(0, index + 1).join('/'), count: 0 }));

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Whether a browser can show it as text. */
export const isText = ({ content_type: type }: StoredFile): boolean =>
  type.startsWith('text/') || /[/+](json|xml|yaml|csv|javascript)$/.test(type);
/** Images that are shown; SVG is not, which is a document with scripts of its own. */
export const isImage = ({ content_type: type }: StoredFile): boolean => /^image\/(png|jpeg|gif|webp)$/.test(type);
