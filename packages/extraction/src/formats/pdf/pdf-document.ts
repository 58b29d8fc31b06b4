import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { getDocumentProxy, getResolvedPDFJS } from 'unpdf';
import type { Entry, ZipFile } from 'yauzl';
import { isContentsLine } from '../../text-blocks';
import { ExtractionError } from '../../document/extraction.errors';
import { entriesOf, openZip } from '../../document/zip-listing';
import type { PdfLine } from './pdf-lines';
import type { PdfTextItem } from './pdf.types';

/** Lines of an entry whose title is longer than one line. */
const MOST_BETWEEN = 2;

const ENDS_IN_NUMBER = /[\t ](?:\d{1,4}|[ivxlc]{1,7})\s*$/;

const isDotted = ({ text }: PdfLine): boolean => isContentsLine(text.replaceAll('\t', ' '));

/** The heading of a table of contents. */
const HEADING =
  /^(?:table of )?contents$|^(?:contenidos?|índice(?: general)?|índex|sumari|continguts|aurkibidea|edukiak?)$/i;

/** Number of lines from `at` on that belong to the entries of a table of contents without dots themselves. */
function undotted(lines: readonly PdfLine[], at: number): number {
  const next = lines.slice(at, at + MOST_BETWEEN + 1).findIndex(isDotted);
  return next === -1 ? 0 : next;
}

/** Removes what stands above the first dotted line: in many books, the entry of a chapter has no dots. */
function dropAbove(kept: PdfLine[]): void {
  if (ENDS_IN_NUMBER.test(kept.at(-1)?.text ?? '')) kept.pop();
  if (HEADING.test(kept.at(-1)?.text.trim() ?? '')) kept.pop();
}

/** Removes the lines of a table of contents: dotted ones, and those between two of them. */
export function withoutContents(lines: readonly PdfLine[]): PdfLine[] {
  const kept: PdfLine[] = [];
  let inside = false;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    if (line === undefined) break;
    if (isDotted(line)) {
      if (!inside) dropAbove(kept);
      inside = true;
      continue;
    }
    const between = inside ? undotted(lines, at) : 0;
    if (between > 0) at += between - 1;
    else {
      inside = false;
      kept.push(line);
    }
  }
  return kept;
}

export type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;
type PageProxy = Awaited<ReturnType<PdfDocument['getPage']>>;

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

/** Layers of a document (optional content, ISO 32000-1 §8.11). */
export type Layers = Awaited<ReturnType<PdfDocument['getOptionalContentConfig']>>;

/** Null for a document that hides no layer. */
export async function hiddenLayers(pdf: PdfDocument): Promise<Layers | null> {
  const layers = await pdf.getOptionalContentConfig();
  return [...layers].some(([, { visible }]: [unknown, { visible: boolean }]) => !visible) ? layers : null;
}

/** Node.js 20 lacks a method that pdf.js calls on the fonts of an operator list. A parser process runs nothing else. */
function completeArrayBuffer(): void {
  if ('transferToFixedLength' in ArrayBuffer.prototype) return;
  const value = function (this: ArrayBuffer, length = this.byteLength): ArrayBuffer {
    return this.slice(0, length);
  };
  Object.defineProperty(ArrayBuffer.prototype, 'transferToFixedLength', { value, configurable: true, writable: true });
}

/** Visibility of the marked parts of a page, in the order of their beginnings. Null where it is not known. */
async function visibilityOfMarks(page: PageProxy, layers: Layers, marks: number): Promise<readonly boolean[] | null> {
  completeArrayBuffer();
  const { OPS, AnnotationMode } = await getResolvedPDFJS();
  const { fnArray, argsArray } = await page.getOperatorList({ annotationMode: AnnotationMode.DISABLE });
  const begins = new Set<number>([OPS.beginMarkedContent, OPS.beginMarkedContentProps]);
  const forms = new Set<number | undefined>([OPS.beginGroup, OPS.paintFormXObjectBegin]);
  const all: boolean[] = [];
  const written: boolean[] = [];
  fnArray.forEach((operator, index) => {
    if (!begins.has(operator)) return;
    const [tag, layer] = argsArray[index] as [tag: unknown, layer?: unknown];
    const isVisible = tag !== 'OC' || Boolean(layers.isVisible(layer));
    all.push(isVisible);
    // A form that names its layer itself has no mark among the texts.
    if (isVisible && forms.has(fnArray[index + 1])) return;
    written.push(isVisible);
  });
  if (all.length === marks) return all;
  return written.length === marks ? written : null;
}

export interface ShownTexts {
  readonly items: readonly PdfTextItem[];
  readonly styles: Awaited<ReturnType<PageProxy['getTextContent']>>['styles'];
  /** `unknown`: the page may have text of hidden layers, and it is among the items. */
  readonly hiddenText: 'none' | 'left out' | 'unknown';
}

/** The texts of a page without those of hidden layers. */
export async function shownTexts(page: PageProxy, layers: Layers | null): Promise<ShownTexts> {
  const { items: parts, styles } = await page.getTextContent({ includeMarkedContent: layers !== null });
  const texts = parts.filter((part): part is typeof part & PdfTextItem => 'str' in part);
  if (layers === null) return { items: texts, styles, hiddenText: 'none' };
  const marks = parts.filter((part) => 'type' in part && part.type.startsWith('begin')).length;
  const visible = await visibilityOfMarks(page, layers, marks);
  if (visible === null) return { items: texts, styles, hiddenText: 'unknown' };
  const open: boolean[] = [];
  let next = 0;
  const items = parts.filter((part): part is typeof part & PdfTextItem => {
    if ('str' in part) return !open.includes(false);
    if (part.type === 'endMarkedContent') open.pop();
    else open.push(visible[next++] ?? true);
    return false;
  });
  const count = (each: readonly PdfTextItem[]): number => each.filter(({ str }) => str.trim() !== '').length;
  return { items, styles, hiddenText: count(items) < count(texts) ? 'left out' : 'none' };
}
