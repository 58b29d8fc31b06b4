import type { FileToSend } from './send-files';

const entriesOf = (folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> => {
  const reader = folder.createReader();
  const read = (): Promise<FileSystemEntry[]> =>
    new Promise((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
  // A reader gives a hundred at a time, and an empty list when there are no more.
  const all = async (found: readonly FileSystemEntry[]): Promise<FileSystemEntry[]> => {
    const next = await read();
    return next.length === 0 ? [...found] : all([...found, ...next]);
  };
  return all([]);
};

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });

async function filesUnder(entry: FileSystemEntry): Promise<FileToSend[]> {
  const path = entry.fullPath.replace(/^\//, '');
  // Finder's and Explorer's own files are nobody's material.
  if (/(^|\/)(\.|Thumbs\.db$|desktop\.ini$)/.test(path)) return [];
  if (entry.isFile) return [{ name: path, file: await fileOf(entry as FileSystemFileEntry) }];
  const inside = await entriesOf(entry as FileSystemDirectoryEntry);
  return (await Promise.all(inside.map((each) => filesUnder(each)))).flat();
}

/** Every file of the entries, folders with everything inside by their paths. */
export const filesOf = async (entries: readonly FileSystemEntry[]): Promise<FileToSend[]> =>
  (await Promise.all(entries.map((entry) => filesUnder(entry)))).flat();
