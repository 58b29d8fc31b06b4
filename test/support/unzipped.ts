import { fromBufferPromise } from 'yauzl';

/** Texts of the files in a ZIP archive, by path. */
export async function unzipped(bytes: Buffer): Promise<Map<string, string>> {
  const zip = await fromBufferPromise(bytes);
  const entries = new Map<string, string>();
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    entries.set(entry.fileName, Buffer.concat(chunks).toString('utf8'));
  }
  return entries;
}
