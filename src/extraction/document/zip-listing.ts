import { type Entry, fromBuffer, type ZipFile } from 'yauzl';

/** More than any office document has; a larger listing is a bomb of its own. */
export const MOST_ENTRIES = 10_000;

export type ZipListing =
  | { readonly ok: true; readonly entries: readonly Entry[] }
  | { readonly ok: false; readonly reason: 'broken' | 'crowded' };

export const openZip = (bytes: Buffer): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    // Names are only compared, never used as paths: what a name tries to climb out of is not there.
    fromBuffer(bytes, { lazyEntries: true, strictFileNames: false }, (error, zip) => {
      if (zip === undefined) reject(error ?? new Error('no archive'));
      else resolve(zip);
    });
  });

/** The archive's own list; no entry is unpacked. */
export async function entriesOf(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = [];
  await new Promise<void>((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      entries.push(entry);
      zip.readEntry();
    });
    zip.once('end', resolve);
    zip.once('error', reject);
    zip.readEntry();
  });
  return entries;
}

/** What an archive says it holds. Never rejects. */
export async function listZip(bytes: Buffer): Promise<ZipListing> {
  try {
    const zip = await openZip(bytes);
    if (zip.entryCount > MOST_ENTRIES) return { ok: false, reason: 'crowded' };
    return { ok: true, entries: await entriesOf(zip) };
  } catch {
    return { ok: false, reason: 'broken' };
  }
}
