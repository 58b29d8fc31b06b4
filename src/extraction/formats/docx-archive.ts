import type { Entry, ZipFile } from 'yauzl';
import { ExtractionError } from '../extraction.errors';
import type { ExtractionLimits } from '../extraction.types';
import { entriesOf, MOST_ENTRIES, openZip } from '../zip-listing';

/** Any document may unpack to this much; only beyond it the ratio counts. */
const FREE_BYTES = 10 * 1024 * 1024;
/** What the reader unpacks; pictures and embedded objects stay packed. */
const UNPACKED = /\.(xml|rels)$/i;

const tooBig = (): ExtractionError =>
  new ExtractionError('document.expansion', 'The document unpacks to far more than its size; it looks like a bomb');

/** Unpacks one entry and throws it away; what the archive says about sizes is not believed. */
function measure(zip: ZipFile, entry: Entry, left: number): Promise<number> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (failed, stream) => {
      if (stream === undefined) return reject(failed ?? new Error('unreadable entry'));
      let size = 0;
      stream.on('data', (part: Buffer) => {
        size += part.length;
        if (size <= left) return;
        stream.destroy();
        reject(tooBig());
      });
      stream.once('end', () => resolve(size));
      stream.once('error', reject);
    });
  });
}

/** Unpacks what will be read, once, into nothing. @throws {ExtractionError} `document.expansion`, `document.malformed` */
export async function checkArchive(bytes: Buffer, { maxExpansion }: ExtractionLimits): Promise<void> {
  let left = Math.max(FREE_BYTES, bytes.length * maxExpansion);
  try {
    const zip = await openZip(bytes);
    if (zip.entryCount > MOST_ENTRIES) throw tooBig();
    for (const entry of await entriesOf(zip)) {
      if (UNPACKED.test(entry.fileName)) left -= await measure(zip, entry, left);
    }
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw new ExtractionError('document.malformed', 'The Word document is damaged and cannot be read', {
      cause: error,
    });
  }
}
