import type { PdfPage, PdfTextItem } from './pdf.types';

/** One line of a page as it is read. Sizes and positions in points, `y` from the bottom of the page. */
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
  /** A blank line's worth of space, or a new column, is before it. */
  readonly gap: boolean;
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
}

/** Of the size of the letters: how far a superscript may be off the line. */
const SAME_LINE = 0.55;
/** Of the size of the letters: the width of a blank that the file does not write as one. */
const BLANK = 0.2;
/** Of the size of the letters: a distance that parts columns of a table. */
const COLUMN = 2;
const MOST_BLANKS = 80;
/** Of the size of the letters: more than this between base lines begins a paragraph. */
const PARAGRAPH = 1.75;

const round = (value: number): number => Math.round(value * 10) / 10;

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

/** Position along and across the direction that the text runs in, so that turned text reads like any other. */
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
    mono: mono.has(fontName),
    font: fontName,
  };
}

/** The value that most letters have. */
const commonest = <T>(counts: ReadonlyMap<T, number>, none: T): T =>
  [...counts].reduce<readonly [T, number]>((best, entry) => (entry[1] > best[1] ? entry : best), [none, -1])[0];

function continues(open: OpenLine, item: Placed): boolean {
  const size = Math.max(item.size, commonest(open.sizes, 0), 1);
  return item.angle === open.angle && Math.abs(item.y - open.y) <= SAME_LINE * size && item.x >= open.right - 2 * size;
}

/** What stands between two runs of one line: nothing, a blank, the next column, or in a listing as many blanks as fit. */
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
  open.parts.push(space(open, item), item.str);
  open.right = Math.max(open.right, item.x + item.width);
  open.mono &&= item.mono || item.str.trim() === '';
  const letters = item.str.trim().length;
  open.sizes.set(item.size, (open.sizes.get(item.size) ?? 0) + letters);
  open.fonts.set(item.font, (open.fonts.get(item.font) ?? 0) + letters);
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
  };
  append(open, item);
  return open;
};

/** Lines of a page in the order in which the file draws them, which in nearly all files is the order to read them in. */
export function linesOf(page: PdfPage): PdfLine[] {
  const lines: PdfLine[] = [];
  let open: OpenLine | null = null;
  const close = (): void => {
    if (open === null) return;
    const text = open.parts.join('');
    const size = commonest(open.sizes, 0);
    const font = commonest(open.fonts, '');
    const before = lines.at(-1);
    const { x, y, right, mono } = open;
    open = null;
    if (text.trim() === '') return;
    const step = before === undefined ? 0 : before.y - y;
    const gap = before !== undefined && (step < -0.5 * size || step > PARAGRAPH * Math.max(size, before.size, 1));
    lines.push({ page: page.number, text, x, y, right, size, font, mono, gap, height: y / page.height });
  };
  for (const item of page.items) {
    if (item.str === '') continue;
    const placed = place(item, page.monospaced);
    if (open !== null && placed.str.trim() === '' && placed.str !== '') {
      // In a listing and between columns, the place of what comes next tells how wide the space is.
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
