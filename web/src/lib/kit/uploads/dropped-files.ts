import { received } from '$lib/kit/api/client';
import type { FileToSend } from './send-files';

/** Dropped files, folders with everything inside by their paths. */
export async function droppedFiles(transfer: DataTransfer): Promise<FileToSend[]> {
  // Entries can be asked for only before the first await: the list is emptied when the event is over.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return chosenFiles(transfer.files);
  const filesIn = await received(import('./folder-files').then(({ filesOf }) => filesOf));
  return filesIn(entries);
}

/** Files of an `<input>`, with their paths where a folder was chosen. */
export const chosenFiles = (files: FileList | null): FileToSend[] =>
  [...(files ?? [])].map((file) => ({ name: file.webkitRelativePath || file.name, file }));
