import { ExtractionError } from '../../document/extraction.errors';
import type { ExtractionLimits } from '../../document/extraction.types';
import type { Content, Source } from '../format-reader.types';
import { listed, shortTitle, titleOf } from '../text';
import { type AnnotatedPage, withAnnotations } from './pdf-annotations';
import {
  type Layers,
  type PdfDocument,
  type ShownTexts,
  damagedPdf,
  hiddenLayers,
  lostFontsDuring,
  openPdf,
  shownTexts,
} from './pdf-document';
import { type PdfLine, linesOf, withoutPageHeaders } from './pdf-lines';
import { composePdf } from './pdf-text';
import type { OutlineEntry, PdfPage } from './pdf.types';

const MOST_OUTLINE_ENTRIES = 5_000;
const DEEPEST_OUTLINE = 8;

interface RawEntry {
  readonly title: string;
  readonly items: readonly RawEntry[];
}

function flatOutline(entries: readonly RawEntry[], depth = 1, found: OutlineEntry[] = []): OutlineEntry[] {
  for (const { title, items } of entries) {
    if (found.length >= MOST_OUTLINE_ENTRIES) break;
    found.push({ title, depth });
    if (depth < DEEPEST_OUTLINE) flatOutline(items, depth + 1, found);
  }
  return found;
}

const outlineOf = async (pdf: PdfDocument): Promise<OutlineEntry[]> =>
  flatOutline((await pdf.getOutline().catch(() => null)) ?? []);

type ReadPage = PdfPage & AnnotatedPage & Pick<ShownTexts, 'hiddenText'>;

async function readPage(pdf: PdfDocument, number: number, layers: Layers | null): Promise<ReadPage> {
  const page = await pdf.getPage(number);
  const { items, styles, hiddenText } = await shownTexts(page, layers);
  const annotations = await page.getAnnotations().catch(() => []);
  const [, bottom = 0, , top = 1] = page.view;
  page.cleanup();
  return {
    number,
    height: Math.max(1, top - bottom),
    bottom,
    hiddenText,
    ...withAnnotations(items, annotations),
    monospaced: new Set(Object.keys(styles).filter((name) => styles[name]?.fontFamily === 'monospace')),
  };
}

/** Text of a font without a mapping to Unicode: numbers of its glyphs, taken for characters. */
const STRANGE = /[\p{Cc}\p{Co}\p{Cn}\ufffd]/gu;
const MOST_STRANGE = 0.1;
const LEAST_STRANGE = 5;
const WORD = /[\p{L}\p{N}\p{M}]/gu;
const LEAST_WORD = 0.4;
/** Shorter pages may be a formula or a row of icons. */
const JUDGED_CHARS = 100;

/** False for a page whose characters are mostly no letters. Dotted lines and the like count once. */
function isReadable({ items }: PdfPage): boolean {
  const text = items
    .map(({ str }) => str.replace(/\s/g, ''))
    .join('')
    .replace(/([^\p{L}\p{N}])\1+/gu, '$1');
  const share = (pattern: RegExp): number => (text.match(pattern)?.length ?? 0) / Math.max(1, text.length);
  const strange = share(STRANGE);
  if (strange > MOST_STRANGE && strange * text.length >= LEAST_STRANGE) return false;
  return text.length < JUDGED_CHARS || share(WORD) >= LEAST_WORD;
}

interface PdfPages {
  readonly pages: readonly PdfLine[][];
  /** Numbers of pages that are damaged, whose letters are unknown, that use a font that cannot be loaded, and with remarks. */
  readonly broken: readonly number[];
  readonly unreadable: readonly number[];
  readonly withLostFont: readonly number[];
  readonly withComments: readonly number[];
  /** Numbers of pages by what became of the text of hidden layers. */
  readonly hidden: Readonly<Record<ShownTexts['hiddenText'], readonly number[]>>;
}

/** Damaged and unreadable pages are left out. */
const readPages = (pdf: PdfDocument, { maxCharacters }: ExtractionLimits): Promise<PdfPages> =>
  lostFontsDuring(async (hasLostFont) => {
    const pages: PdfLine[][] = [];
    const broken: number[] = [];
    const unreadable: number[] = [];
    const withLostFont: number[] = [];
    const withComments: number[] = [];
    const hidden: Record<ShownTexts['hiddenText'], number[]> = { none: [], 'left out': [], unknown: [] };
    const layers = await hiddenLayers(pdf);
    let characters = 0;
    for (let number = 1; number <= pdf.numPages; number += 1) {
      try {
        const page = await readPage(pdf, number, layers);
        characters += page.items.reduce((sum, { str }) => sum + str.length, 0);
        const isKept = isReadable(page);
        if (!isKept) unreadable.push(number);
        if (page.hasComments) withComments.push(number);
        hidden[page.hiddenText].push(number);
        pages.push(isKept ? linesOf(page) : []);
      } catch {
        broken.push(number);
        pages.push([]);
      }
      if (hasLostFont()) withLostFont.push(number);
      if (characters > maxCharacters) {
        throw new ExtractionError(
          'document.too_large',
          `The document holds more than ${maxCharacters} characters of text`,
        );
      }
    }
    return { pages, broken, unreadable, withLostFont, withComments, hidden };
  });

const LABEL_CHARS = 20;

/** Printed page numbers; empty where they only count from 1 (ISO 32000-1 §12.4.2). */
async function pageLabels(pdf: PdfDocument): Promise<string[]> {
  const labels = (await pdf.getPageLabels().catch(() => null)) ?? [];
  const isPlain = labels.every((label, index) => label === String(index + 1) || label === '');
  return isPlain ? [] : labels.map((label, index) => label.slice(0, LABEL_CHARS).trim() || String(index + 1));
}

type Information = Readonly<Record<string, unknown>>;

const informationOf = async (pdf: PdfDocument): Promise<Information> =>
  (await pdf.getMetadata().catch(() => ({ info: {} }))).info as Information;

function metadataTitle({ Title: title }: Information): string | null {
  if (typeof title !== 'string') return null;
  const words = title.replace(/\s+/g, ' ').trim();
  // Default titles of word processors.
  return /\p{L}{2}/u.test(words) &&
    !/^(microsoft word|untitled|sin título|sense títol|slide \d)|\.\w{2,5}$/i.test(words)
    ? shortTitle(words)
    : null;
}

const isText = (line: PdfLine): boolean => /[\p{L}\p{N}]/u.test(line.text);

/** A form whose fields and words only some programs draw (ISO 32000-1 §12.7.8). Others show a page that says so. */
const isXfaOnly = (information: Information): boolean =>
  information['IsXFAPresent'] === true && information['IsAcroFormPresent'] !== true;
const XFA = 'The form in this PDF (XFA) cannot be read. Print it to a new PDF and upload that';

function warningsOf({ pages, broken, unreadable, withLostFont, withComments, hidden }: PdfPages): string[] {
  const known = new Set([...broken, ...unreadable, ...withLostFont, ...hidden['left out']]);
  const blank = pages.flatMap((lines, index) => (lines.some(isText) || known.has(index + 1) ? [] : [index + 1]));
  const told = (numbers: readonly number[], sentence: (pages: string) => string): string[] =>
    numbers.length === 0 ? [] : [sentence(listed(numbers))];
  return [
    ...told(blank, (on) => `No text on page ${on}. If you see text there, it is an image`),
    ...told(broken, (on) => `Page ${on} is damaged and was left out`),
    ...told(unreadable, (on) => `Page ${on} was left out: ${UNKNOWN_LETTERS}`),
    ...told(withLostFont, (on) => `Text is missing from page ${on} on: a font cannot be read. ${OCR}`),
    ...told(withComments, (on) => `Comments on page ${on} are left out`),
    ...told(hidden['left out'], (on) => `Text of hidden layers on page ${on} is left out`),
    ...told(hidden.unknown, (on) => `Text of hidden layers may be among the text of page ${on}`),
  ];
}

const OCR = 'Run text recognition (OCR) over the file and upload it again';
const UNKNOWN_LETTERS = `its fonts do not tell which letters they draw. ${OCR}`;

/** The PDF has no text at all: pictures of pages, or fonts whose letters are unknown. */
function noText({ unreadable, withLostFont }: PdfPages): ExtractionError {
  const isDrawn = unreadable.length + withLostFont.length > 0;
  return new ExtractionError(
    'document.no_text',
    isDrawn
      ? `The text of the PDF cannot be read: ${UNKNOWN_LETTERS}`
      : 'The PDF holds no text: it looks scanned. Run text recognition (OCR) over it first',
  );
}

/** @throws {ExtractionError} */
export async function readPdf({ bytes, limits }: Source): Promise<Content> {
  const pdf = await openPdf(bytes);
  try {
    if (pdf.numPages > limits.maxPages) {
      const detail = `The PDF has ${pdf.numPages} pages; at most ${limits.maxPages} are read`;
      throw new ExtractionError('document.too_many_pages', detail);
    }
    const read = await readPages(pdf, limits);
    if (read.broken.length === pdf.numPages) throw damagedPdf();
    if (!read.pages.some((lines) => lines.some(isText))) throw noText(read);
    const { text, pages: starts } = composePdf(withoutPageHeaders(read.pages), await outlineOf(pdf));
    const information = await informationOf(pdf);
    return {
      text,
      title: metadataTitle(information) ?? titleOf(text),
      pages: starts,
      pageCount: pdf.numPages,
      pageLabels: await pageLabels(pdf),
      warnings: [...(isXfaOnly(information) ? [XFA] : []), ...warningsOf(read)],
    };
  } finally {
    await pdf.destroy();
  }
}
