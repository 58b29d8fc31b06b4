import type { OutlineEntry, PdfPage, PdfTextItem } from './pdf.types';

/** The value with the highest count. */
const mostFrequent = <T>(counts: ReadonlyMap<T, number>, none: T): T =>
  [...counts].reduce<readonly [T, number]>((best, entry) => (entry[1] > best[1] ? entry : best), [none, -1])[0];

/** Numbers of characters by a property of their lines. */
function characterCounts<Line extends { readonly text: string }, T>(
  lines: readonly Line[],
  property: (line: Line) => T,
): Map<T, number> {
  const counts = new Map<T, number>();
  for (const line of lines) {
    const value = property(line);
    counts.set(value, (counts.get(value) ?? 0) + line.text.length);
  }
  return counts;
}

/** Share of the page's height, at top and bottom, where headers, footers and page numbers are. */
const EDGE = 0.12;
/** Lines compared at the top and at the bottom of each page. */
const EDGE_LINES = 3;
const LEAST_PAGES = 3;
/** Share of the pages with the same header. Left and right pages often differ. */
const REPEATED = 0.3;
const PAGE_NUMBER =
  /^(?:page|p\.|pàg\.|pág\.|página|pàgina|seite|orria)?[-–—|\s]*(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:\/|of|de|von)\s*\d{1,4})?[-–—|\s]*$/i;

/** Relative to the body text. A larger line is a title that several pages repeat. */
const MOST_SIZE = 1.05;

const isAtEdge = ({ height }: PdfLine): boolean => height <= EDGE || height >= 1 - EDGE;

/** Equal for the same line on other pages, whatever its numbers. */
const shapeOf = ({ text, height }: PdfLine): string =>
  `${height < 0.5 ? 'foot' : 'head'} ${text.trim().replace(/\d+/g, '#').replace(/\s+/g, ' ').toLowerCase()}`;

const edgesOf = (lines: readonly PdfLine[], body: number): PdfLine[] => {
  const sorted = lines.filter((line) => isAtEdge(line) && line.size <= MOST_SIZE * body).sort((a, b) => b.y - a.y);
  return [...new Set([...sorted.slice(0, EDGE_LINES), ...sorted.slice(-EDGE_LINES)])];
};

interface EndLine {
  readonly line: PdfLine;
  /** Number at the end of its text. */
  readonly number: number;
}

const LAST_NUMBER = /(?:^|\s)(\d{1,4})$/;
/** Relative to the font size: least distance of a header from the text. */
const APART = 1.75;

/** The uppermost and the lowest line of a page where they end in a number, and are nothing else or stand apart. */
function numberedEnds(lines: readonly PdfLine[], body: number): EndLine[] {
  const sorted = [...lines].sort((a, b) => b.y - a.y);
  return [sorted, [...sorted].reverse()].flatMap(([line, next]) => {
    const digits = LAST_NUMBER.exec(line?.text.trim() ?? '')?.[1];
    if (line === undefined || digits === undefined || line.size > MOST_SIZE * body) return [];
    const isApart = next !== undefined && Math.abs(line.y - next.y) > APART * Math.max(line.size, next.size);
    return isApart || line.text.trim() === digits ? [{ line, number: Number(digits) }] : [];
  });
}

/**
 * Lines with the number of their page as the document counts its pages, alone or behind the words of a header: also where the
 * header changes with the chapter, and wherever the page was cropped.
 */
function pageNumbers(pages: readonly (readonly PdfLine[])[], body: number): ReadonlySet<PdfLine> {
  const ends = pages.map((lines) => numberedEnds(lines, body));
  const counts = new Map<number, number>();
  for (const [index, found] of ends.entries()) {
    for (const first of new Set(found.map(({ number }) => number - index))) {
      counts.set(first, (counts.get(first) ?? 0) + 1);
    }
  }
  const first = mostFrequent(counts, 0);
  if ((counts.get(first) ?? 0) < Math.max(LEAST_PAGES, REPEATED * pages.length)) return new Set();
  return new Set(
    ends.flatMap((found, index) => found.flatMap(({ line, number }) => (number - index === first ? [line] : []))),
  );
}

/** Removes headers, footers and page numbers. */
export function withoutPageHeaders(pages: readonly (readonly PdfLine[])[]): PdfLine[][] {
  const counts = new Map<string, number>();
  const sizes = characterCounts(pages.flat(), ({ size }) => size);
  const body = mostFrequent(sizes, 0);
  const edges = pages.map((lines) => edgesOf(lines, body));
  for (const lines of edges) {
    for (const shape of new Set(lines.map(shapeOf))) counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  const numbers = pageNumbers(pages, body);
  const least = Math.max(LEAST_PAGES, REPEATED * pages.length);
  return pages.map((lines, index) => {
    const dropped = new Set(
      edges[index]?.filter(
        (line) => (counts.get(shapeOf(line)) ?? 0) >= least || (pages.length > 1 && PAGE_NUMBER.test(line.text.trim())),
      ),
    );
    return lines.filter((line) => !dropped.has(line) && !numbers.has(line));
  });
}

/** Least size of a heading, relative to the body text. */
const LARGER = 1.12;
const HEADING_CHARS = 160;
const DEEPEST = 4;
/** A size with a larger share of the text is body text, not a heading. */
const MOST_SHARE = 0.2;

const wordsOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Depth of a heading line, 1 the outermost; null for other lines. */
export type HeadingDepth = (line: PdfLine) => number | null;

function byOutline(outline: readonly OutlineEntry[]): HeadingDepth {
  const depths = new Map(outline.map(({ title, depth }) => [wordsOf(title), Math.min(depth, DEEPEST)]));
  depths.delete('');
  return ({ text }) => (text.length > HEADING_CHARS ? null : (depths.get(wordsOf(text)) ?? null));
}

const NUMBERED = /^(\d{1,2}(?:\.\d{1,2}){1,3})\.?\s+\p{Lu}/u;
const NUMBERED_CHARS = 100;

/** A heading such as `3.1 Traces`, in body size but another font. */
function numberedDepth(line: PdfLine, bodyFont: string | null, body: number, above: number): number | null {
  if (line.font === bodyFont || line.size < 0.95 * body || line.text.length > NUMBERED_CHARS) return null;
  const number = NUMBERED.exec(line.text.trim())?.[1];
  return number === undefined ? null : Math.min(above + number.split('.').length - 1, DEEPEST);
}

/** The larger the letters, the higher the heading. */
function bySize(lines: readonly PdfLine[]): HeadingDepth {
  const counts = characterCounts(lines, ({ size }) => size);
  const body = mostFrequent(counts, 0);
  const bodyFont = mostFrequent<string | null>(
    characterCounts(lines, ({ font }) => font),
    null,
  );
  const total = lines.reduce((sum, { text }) => sum + text.length, 0);
  const large = [...counts].filter(([size, chars]) => size >= LARGER * body && chars <= MOST_SHARE * total);
  const ranks: number[] = [];
  for (const [size] of large.sort(([a], [b]) => b - a)) {
    // Sizes that differ by rounding are one.
    if (ranks.length === 0 || size < 0.95 * (ranks.at(-1) ?? 0)) ranks.push(size);
  }
  return (line) => {
    if (line.mono || line.text.length > HEADING_CHARS || !/\p{L}/u.test(line.text)) return null;
    const rank = line.size < LARGER * body ? -1 : ranks.findIndex((least) => line.size >= 0.95 * least);
    return rank === -1 ? numberedDepth(line, bodyFont, body, ranks.length) : Math.min(rank + 1, DEEPEST);
  };
}

/** Headings by the outline of the document; if it matches few lines, by font size. */
export function headingDepth(lines: readonly PdfLine[], outline: readonly OutlineEntry[]): HeadingDepth {
  const outlined = byOutline(outline);
  const found = new Set(lines.filter((line) => outlined(line) !== null).map(({ text }) => wordsOf(text))).size;
  return found > 2 && found >= outline.length / 2 ? outlined : bySize(lines);
}

/** One line of a page. Sizes and positions are points, `y` from the bottom of the page. */
export interface PdfLine {
  readonly page: number;
  text: string;
  readonly x: number;
  readonly y: number;
  right: number;
  /** Height of most of its letters. */
  size: number;
  readonly mono: boolean;
  /** Font of most of its letters. */
  readonly font: string;
  /** Share of the page's height below it, 0..1. */
  readonly height: number;
  /** True after a blank line or at a new column. */
  readonly gap: boolean;
  /** Its parts between wide spaces. */
  readonly segments: readonly Segment[];
  /** Cells of a table's row; lines of a cell are joined. */
  readonly row?: readonly string[];
}

/** Text of a line without wide spaces in it. */
export interface Segment {
  text: string;
  readonly x: number;
  right: number;
}

interface OpenLine {
  parts: string[];
  x: number;
  y: number;
  right: number;
  angle: number;
  mono: boolean;
  /** Letters by their size, and by their font. */
  readonly sizes: Map<number, number>;
  readonly fonts: Map<string, number>;
  readonly segments: Segment[];
}

/** Relative to the font size: how far a superscript may be off the line. */
const SAME_LINE = 0.55;
/** Relative to the font size: least width of a space that the file does not write as a character. */
const BLANK = 0.2;
/** Relative to the font size: least distance between columns of a table. */
const COLUMN = 2;
const MOST_BLANKS = 80;
/** Relative to the font size: larger distances between base lines begin a paragraph. */
const PARAGRAPH = 1.75;

const round = (value: number): number => Math.round(value * 10) / 10;

/** Letters that have one width in every font. */
const EQUALLY_WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

interface Placed {
  readonly str: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
  readonly angle: number;
  readonly mono: boolean;
  readonly font: string;
}

/** Position along and across the text direction, so that rotated text reads like any other. */
function place({ str, transform, width, fontName }: PdfTextItem, mono: ReadonlySet<string>): Placed {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = transform;
  const angle = Math.round(Math.atan2(b, a) * 100) / 100;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return {
    str,
    x: e * cos + f * sin,
    y: f * cos - e * sin,
    width,
    size: round(Math.hypot(c, d)),
    angle,
    mono: mono.has(fontName) && !EQUALLY_WIDE.test(str),
    font: fontName,
  };
}

function continues(open: OpenLine, item: Placed): boolean {
  const size = Math.max(item.size, mostFrequent(open.sizes, 0), 1);
  return item.angle === open.angle && Math.abs(item.y - open.y) <= SAME_LINE * size && item.x >= open.right - 2 * size;
}

/** White space between two runs of a line: nothing, a space, a tab between columns, or in code as many spaces as fit. */
function space(open: OpenLine, item: Placed): string {
  const size = Math.max(item.size, 1);
  const distance = item.x - open.right;
  const last = open.parts.at(-1) ?? '';
  if (last === '' || distance <= BLANK * size) return '';
  if (open.mono && item.mono && item.str.length > 0) {
    return ' '.repeat(Math.min(MOST_BLANKS, Math.round(distance / Math.max(1, item.width / item.str.length))));
  }
  if (distance > COLUMN * size) return '\t';
  return /\s$/.test(last) || /^\s/.test(item.str) ? '' : ' ';
}

function append(open: OpenLine, item: Placed): void {
  const before = space(open, item);
  open.parts.push(before, item.str);
  extendSegments(open.segments, before, item);
  open.right = Math.max(open.right, item.x + item.width);
  open.mono &&= item.mono || item.str.trim() === '';
  const letters = item.str.trim().length;
  open.sizes.set(item.size, (open.sizes.get(item.size) ?? 0) + letters);
  open.fonts.set(item.font, (open.fonts.get(item.font) ?? 0) + letters);
}

function extendSegments(segments: Segment[], before: string, { str, x, width }: Placed): void {
  const last = segments.at(-1);
  if (last === undefined || before === '\t') {
    segments.push({ text: str, x, right: x + width });
    return;
  }
  last.text += before + str;
  last.right = Math.max(last.right, x + width);
}

const begin = (item: Placed): OpenLine => {
  const open = {
    parts: [],
    x: item.x,
    y: item.y,
    right: item.x,
    angle: item.angle,
    mono: item.mono,
    sizes: new Map(),
    fonts: new Map(),
    segments: [],
  };
  append(open, item);
  return open;
};

/** Lines of a page in drawing order, which is the reading order in nearly all files. */
export function linesOf(page: PdfPage): PdfLine[] {
  const lines: PdfLine[] = [];
  let open: OpenLine | null = null;
  const close = (): void => {
    if (open === null) return;
    const text = open.parts.join('');
    const size = mostFrequent(open.sizes, 0);
    const font = mostFrequent(open.fonts, '');
    const before = lines.at(-1);
    const { x, y, right, mono, segments } = open;
    open = null;
    if (text.trim() === '') return;
    const step = before === undefined ? 0 : before.y - y;
    const gap = before !== undefined && (step < -0.5 * size || step > PARAGRAPH * Math.max(size, before.size, 1));
    const height = (y - page.bottom) / page.height;
    lines.push({ page: page.number, text, x, y, right, size, font, mono, gap, height, segments });
  };
  for (const item of page.items) {
    if (item.str === '') continue;
    const placed = place(item, page.monospaced);
    if (open !== null && placed.str.trim() === '' && placed.str !== '') {
      // The position of the next run tells the width of the space, in code and between columns.
      if (!open.mono && placed.width <= COLUMN * placed.size && continues(open, placed)) append(open, placed);
      continue;
    }
    if (open !== null && continues(open, placed)) {
      append(open, placed);
    } else {
      close();
      open = begin(placed);
    }
  }
  close();
  return lines;
}
