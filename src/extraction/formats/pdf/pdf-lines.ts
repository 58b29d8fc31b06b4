import { mostFrequent } from './most-frequent';
import type { PdfPage, PdfTextItem } from './pdf.types';

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
      // In code and between columns, the position of the next run tells the width of the space.
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
