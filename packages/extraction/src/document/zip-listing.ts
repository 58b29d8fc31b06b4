import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';

/** More than any office document has. A larger archive is a denial-of-service attempt. */
export const MOST_ENTRIES = 10_000;

export type ZipListing =
  | { readonly ok: true; readonly entries: readonly Entry[] }
  | { readonly ok: false; readonly reason: 'broken' | 'crowded' };

const END_RECORD = Buffer.from('PK\x05\x06', 'latin1');
const END_RECORD_BYTES = 22;
/** Offset in the end record of the length of the comment that follows it. */
const COMMENT_LENGTH = 20;

/**
 * The archive without what follows its end record, when that is not the comment it announces: web forms and old learning
 * platforms add bytes, which other programs ignore.
 */
function withoutTail(bytes: Buffer): Buffer {
  const at = bytes.lastIndexOf(END_RECORD);
  if (at === -1 || at + END_RECORD_BYTES > bytes.length) return bytes;
  const end = at + END_RECORD_BYTES + bytes.readUInt16LE(at + COMMENT_LENGTH);
  if (end === bytes.length) return bytes;
  return Buffer.concat([bytes.subarray(0, at + COMMENT_LENGTH), Buffer.alloc(2)]);
}

/** Entry names are only compared, never used as paths, so strange ones are accepted. */
export const openZip = (bytes: Buffer): Promise<ZipFile> =>
  fromBufferPromise(withoutTail(bytes), { lazyEntries: true, strictFileNames: false });

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
