import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { ExportedFile } from './person-export.service';

/** The files as a ZIP archive. An error of the files destroys the stream. */
export function zipStream(files: AsyncIterable<ExportedFile>): Readable {
  const zip = new ZipFile();
  const output = new PassThrough();
  zip.on('error', (error: Error) => output.destroy(error));
  zip.outputStream.pipe(output);
  let source: Readable | null = null;
  output.once('close', () => source?.destroy());
  const add = async (): Promise<void> => {
    for await (const { path, content } of files) {
      source = Readable.from(content);
      zip.addReadStream(source, path);
      await finished(source, { writable: false });
      if (output.destroyed) return;
    }
    zip.end();
  };
  add().catch((error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error))));
  return output;
}
