import type { Entry, ZipFile } from 'yauzl';
import { ExtractionError } from '../document/extraction.errors';
import type { ExtractionLimits } from '../document/extraction.types';
import { entriesOf, MOST_ENTRIES, openZip } from '../document/zip-listing';

/** Any document may unpack to this much; only beyond it the ratio counts. */
const FREE_BYTES = 10 * 1024 * 1024;
/** What is unpacked; pictures and embedded objects stay packed. */
const UNPACKED = /\.(xml|rels)$/i;

/** The XML parts of a Word document, by the names that the document itself uses. Nothing is written anywhere. */
export type WordParts = ReadonlyMap<string, Buffer>;

const tooBig = (): ExtractionError =>
  new ExtractionError('document.expansion', 'The document unpacks to far more than its size; it looks like a bomb');

/** Unpacks one entry; what the archive says about its size is checked by the library, and the limit by counting. */
function unpack(zip: ZipFile, entry: Entry, left: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (failed, stream) => {
      if (stream === undefined) return reject(failed ?? new Error('unreadable entry'));
      const parts: Buffer[] = [];
      let size = 0;
      stream.on('data', (part: Buffer) => {
        size += part.length;
        parts.push(part);
        if (size <= left) return;
        stream.destroy();
        reject(tooBig());
      });
      stream.once('end', () => resolve(Buffer.concat(parts)));
      stream.once('error', reject);
    });
  });
}

async function unpackAll(bytes: Buffer, limit: number): Promise<WordParts> {
  const zip = await openZip(bytes);
  if (zip.entryCount > MOST_ENTRIES) throw tooBig();
  const parts = new Map<string, Buffer>();
  let left = limit;
  for (const entry of await entriesOf(zip)) {
    if (!UNPACKED.test(entry.fileName)) continue;
    const content = await unpack(zip, entry, left);
    left -= content.length;
    parts.set(entry.fileName, content);
  }
  return parts;
}

/** @throws {ExtractionError} `document.expansion`, `document.malformed` */
export async function openWord(bytes: Buffer, { maxExpansion }: ExtractionLimits): Promise<WordParts> {
  try {
    return await unpackAll(bytes, Math.max(FREE_BYTES, bytes.length * maxExpansion));
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw new ExtractionError('document.malformed', 'The Word document is damaged and cannot be read', {
      cause: error,
    });
  }
}
