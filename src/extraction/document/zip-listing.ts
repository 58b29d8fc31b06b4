import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';

/** More than any office document has. A larger archive is a denial-of-service attempt. */
export const MOST_ENTRIES = 10_000;

export type ZipListing =
  | { readonly ok: true; readonly entries: readonly Entry[] }
  | { readonly ok: false; readonly reason: 'broken' | 'crowded' };

/** Entry names are only compared, never used as paths, so strange ones are accepted. */
export const openZip = (bytes: Buffer): Promise<ZipFile> =>
  fromBufferPromise(bytes, { lazyEntries: true, strictFileNames: false });

/** The central directory; nothing is unpacked. */
export async function entriesOf(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  return entries;
}

/** Never rejects. */
export async function listZip(bytes: Buffer): Promise<ZipListing> {
  try {
    const zip = await openZip(bytes);
    if (zip.entryCount > MOST_ENTRIES) return { ok: false, reason: 'crowded' };
    return { ok: true, entries: await entriesOf(zip) };
  } catch {
    return { ok: false, reason: 'broken' };
  }
}
