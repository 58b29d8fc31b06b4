import { getDocumentProxy } from 'unpdf';
import { ExtractionError } from '../../document/extraction.errors';
import type { ExtractionLimits } from '../../document/extraction.types';
import type { Content, Source } from '../format-reader.types';
import { withoutPageHeaders } from './pdf-page-headers';
import { linesOf, type PdfLine } from './pdf-lines';
import { composePdf } from './pdf-text';
import type { OutlineEntry, PdfPage, PdfTextItem } from './pdf.types';
import { firstHeading, shortTitle } from '../text';

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

const MOST_OUTLINE_ENTRIES = 5_000;
const DEEPEST_OUTLINE = 8;
/** Characters of fonts without a mapping to Unicode. */
const UNREADABLE = /[\ue000-\uf8ff\ufffd]/g;
const MOST_UNREADABLE = 0.2;

function explain(error: unknown): ExtractionError {
  const name = error instanceof Error ? error.name : '';
  if (name === 'PasswordException') {
    return new ExtractionError('document.encrypted', 'The PDF is protected by a password; save it without one');
  }
  return new ExtractionError('document.malformed', 'The PDF is damaged and cannot be read', { cause: error });
}

async function openPdf(bytes: Buffer): Promise<PdfDocument> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0, stopAtErrors: false, maxImageSize: 1 });
  } catch (error) {
    throw explain(error);
  }
}

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

async function readPage(pdf: PdfDocument, number: number): Promise<PdfPage> {
  const page = await pdf.getPage(number);
  const { items, styles } = await page.getTextContent();
  const [, bottom = 0, , top = 1] = page.view;
  page.cleanup();
  return {
    number,
    height: Math.max(1, top - bottom),
    items: items.filter((item): item is typeof item & PdfTextItem => 'str' in item),
    monospaced: new Set(Object.keys(styles).filter((name) => styles[name]?.fontFamily === 'monospace')),
  };
}

/** Damaged pages are left out. */
async function readPages(pdf: PdfDocument, { maxCharacters }: ExtractionLimits) {
  const pages: PdfLine[][] = [];
  const broken: number[] = [];
  let characters = 0;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    try {
      const page = await readPage(pdf, number);
      characters += page.items.reduce((sum, { str }) => sum + str.length, 0);
      pages.push(linesOf(page));
    } catch {
      broken.push(number);
      pages.push([]);
    }
    if (characters > maxCharacters) {
      throw new ExtractionError(
        'document.too_large',
        `The document holds more than ${maxCharacters} characters of text`,
      );
    }
  }
  return { pages, broken };
}

/** `3, 5–7` */
function listed(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const shown = ranges.slice(0, 10).map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
  return shown.join(', ') + (ranges.length > 10 ? ', …' : '');
}

const LABEL_CHARS = 20;

/** Printed page numbers; empty where they only count from 1 (ISO 32000-1 §12.4.2). */
async function pageLabels(pdf: PdfDocument): Promise<string[]> {
  const labels = (await pdf.getPageLabels().catch(() => null)) ?? [];
  const isPlain = labels.every((label, index) => label === String(index + 1) || label === '');
  return isPlain ? [] : labels.map((label, index) => label.slice(0, LABEL_CHARS).trim() || String(index + 1));
}

async function metadataTitle(pdf: PdfDocument): Promise<string | null> {
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const title = (info as Record<string, unknown>)['Title'];
  if (typeof title !== 'string') return null;
  const words = title.replace(/\s+/g, ' ').trim();
  // Default titles of word processors.
  return /\p{L}{2}/u.test(words) &&
    !/^(microsoft word|untitled|sin título|sense títol|slide \d)|\.\w{2,5}$/i.test(words)
    ? shortTitle(words)
    : null;
}

const isText = (line: PdfLine): boolean => /[\p{L}\p{N}]/u.test(line.text);

function warningsOf(pages: readonly PdfLine[][], broken: readonly number[], text: string): string[] {
  const blank = pages.flatMap((lines, index) => (lines.some(isText) || broken.includes(index + 1) ? [] : [index + 1]));
  const strange = text.match(UNREADABLE)?.length ?? 0;
  return [
    ...(blank.length > 0 ? [`No text on page ${listed(blank)}. If you see text there, it is an image`] : []),
    ...(broken.length > 0 ? [`Page ${listed(broken)} is damaged and was left out`] : []),
    ...(strange > MOST_UNREADABLE * text.length
      ? ['Much of the text is not readable: its fonts do not map to characters']
      : []),
  ];
}

export async function readPdf({ bytes, limits }: Source): Promise<Content> {
  const pdf = await openPdf(bytes);
  try {
    if (pdf.numPages > limits.maxPages) {
      const detail = `The PDF has ${pdf.numPages} pages; at most ${limits.maxPages} are read`;
      throw new ExtractionError('document.too_many_pages', detail);
    }
    const { pages, broken } = await readPages(pdf, limits);
    if (broken.length === pdf.numPages) throw explain(null);
    if (!pages.some((lines) => lines.some(isText))) {
      throw new ExtractionError(
        'document.no_text',
        'The PDF holds no text: it looks scanned. Run text recognition (OCR) over it first',
      );
    }
    const { text, pages: starts } = composePdf(withoutPageHeaders(pages), await outlineOf(pdf));
    const title = (await metadataTitle(pdf)) ?? firstHeading(text);
    return {
      text,
      title,
      pages: starts,
      pageCount: pdf.numPages,
      pageLabels: await pageLabels(pdf),
      warnings: warningsOf(pages, broken, text),
    };
  } finally {
    await pdf.destroy();
  }
}
