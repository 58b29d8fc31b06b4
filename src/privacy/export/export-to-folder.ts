import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ExportedFile } from './person-export.service';

/** Writes the files below a new folder, readable by the operator only. Returns their number. */
export async function exportToFolder(files: AsyncIterable<ExportedFile>, folder: string): Promise<number> {
  let count = 0;
  await mkdir(folder, { mode: 0o700 });
  for await (const { path, content } of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await pipeline(Readable.from(content), createWriteStream(target, { flags: 'wx', mode: 0o600 }));
    count += 1;
  }
  return count;
}
