import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { getDocumentProxy } from 'unpdf';
import type { Entry, ZipFile } from 'yauzl';
import { ExtractionError } from '../../document/extraction.errors';
import { entriesOf, openZip } from '../../document/zip-listing';

export type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Adobe's character maps in the packed form of pdf.js, under the licence inside: `cmaps/` of pdfjs-dist 5.6.205. */
const CHARACTER_MAPS = join(__dirname, 'character-maps.zip');

interface CharacterMaps {
  readonly zip: ZipFile;
  readonly entries: ReadonlyMap<string, Entry>;
}

let characterMaps: Promise<CharacterMaps> | undefined;

async function openCharacterMaps(): Promise<CharacterMaps> {
  const zip = await openZip(await readFile(CHARACTER_MAPS));
  return { zip, entries: new Map((await entriesOf(zip)).map((entry) => [entry.fileName, entry])) };
}

/** Gives pdf.js the maps that CJK fonts name and do not embed (ISO 32000-1 §9.7.5.2). */
class CharacterMapSource {
  async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    const { zip, entries } = await (characterMaps ??= openCharacterMaps());
    const entry = kind === 'cMapUrl' ? entries.get(filename) : undefined;
    if (entry === undefined) throw new Error('not a character map of Adobe');
    return new Uint8Array(await buffer(await zip.openReadStreamPromise(entry)));
  }
}

function explain(error: unknown): ExtractionError {
  const name = error instanceof Error ? error.name : '';
  if (name === 'PasswordException') {
    return new ExtractionError('document.encrypted', 'The PDF is protected by a password; save it without one');
  }
  return new ExtractionError('document.malformed', 'The PDF is damaged and cannot be read', { cause: error });
}

export const damagedPdf = (): ExtractionError => explain(null);

/** @throws {ExtractionError} */
export async function openPdf(bytes: Buffer): Promise<PdfDocument> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), {
      verbosity: WARNINGS,
      stopAtErrors: false,
      maxImageSize: 1,
      cMapPacked: true,
      BinaryDataFactory: CharacterMapSource,
    });
  } catch (error) {
    throw explain(error);
  }
}

/** `VerbosityLevel.WARNINGS` of pdf.js. */
const WARNINGS = 1;
const LOST_FONT = 'Warning: loadFont - translateFont failed';

/**
 * Pages on which pdf.js met a font that it cannot load: the text in it is missing, and only a line on the console says so.
 * All lines of pdf.js are kept from the console. Documents must be read one at a time.
 */
export async function lostFontsDuring<T>(read: (hasLostFont: () => boolean) => Promise<T>): Promise<T> {
  const { warn } = console;
  let lost = false;
  console.warn = (line: unknown, ...more: unknown[]) => {
    if (typeof line !== 'string' || !line.startsWith('Warning: ')) warn.call(console, line, ...more);
    else if (line.startsWith(LOST_FONT)) lost = true;
  };
  try {
    return await read(() => {
      const was = lost;
      lost = false;
      return was;
    });
  } finally {
    console.warn = warn;
  }
}
