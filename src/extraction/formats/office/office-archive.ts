import type { Entry, ZipFile } from 'yauzl';
import { ExtractionError } from '../../document/extraction.errors';
import type { ExtractionLimits } from '../../document/extraction.types';
import { entriesOf, MOST_ENTRIES, openZip } from '../../document/zip-listing';

/** The expansion limit applies beyond this size only. */
const FREE_BYTES = 10 * 1024 * 1024;
/** Images and embedded objects stay packed. */
const PARTS = /\.(?:xml|rels)$/i;

/** The XML parts of an office document or e-book by name. */
export type OfficeParts = ReadonlyMap<string, Buffer>;

/** The parts of an office file, with a record of those that a reader asked for. */
export class OpenedParts extends Map<string, Buffer> {
  readonly opened = new Set<string>();

  override get(name: string): Buffer | undefined {
    this.opened.add(name);
    return super.get(name);
  }
}

const tooBig = (): ExtractionError =>
  new ExtractionError('document.expansion', 'The document unpacks to far more than its size; it looks like a ZIP bomb');

/** Unpacks one entry. The declared size is not trusted: the bytes are counted. */
async function unpack(zip: ZipFile, entry: Entry, left: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of await zip.openReadStreamPromise(entry)) {
    parts.push(part as Buffer);
    size += (part as Buffer).length;
    if (size > left) throw tooBig();
  }
  return Buffer.concat(parts);
}

async function unpackAll(bytes: Buffer, limit: number, wanted: RegExp): Promise<OpenedParts> {
  const zip = await openZip(bytes);
  if (zip.entryCount > MOST_ENTRIES) throw tooBig();
  const parts = new OpenedParts();
  let left = limit;
  for (const entry of await entriesOf(zip)) {
    if (!wanted.test(entry.fileName)) continue;
    const content = await unpack(zip, entry, left);
    left -= content.length;
    parts.set(entry.fileName, content);
  }
  return parts;
}

/** @throws {ExtractionError} `document.expansion`, `document.malformed` */
export async function openOffice(
  bytes: Buffer,
  { maxExpansion }: ExtractionLimits,
  what: 'Word document' | 'presentation' | 'workbook' | 'e-book',
  wanted = PARTS,
): Promise<OpenedParts> {
  try {
    return await unpackAll(bytes, Math.max(FREE_BYTES, bytes.length * maxExpansion), wanted);
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw new ExtractionError('document.malformed', `The ${what} is damaged and cannot be read`, {
      cause: error,
    });
  }
}
