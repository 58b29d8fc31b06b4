import type { PdfLine } from './pdf-lines';
import type { OutlineEntry } from './pdf.types';

/** Letters this much larger than the body's make a heading. */
const LARGER = 1.12;
const HEADING_CHARS = 160;
const DEEPEST = 4;
/** A size that so large a share of the text has is a second body, not a heading. */
const MOST_SHARE = 0.2;

const wordsOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Depth of the heading that a line is, 1 the outermost; null for any other line. */
export type HeadingDepth = (line: PdfLine) => number | null;

function byOutline(outline: readonly OutlineEntry[]): HeadingDepth {
  const depths = new Map(outline.map(({ title, depth }) => [wordsOf(title), Math.min(depth, DEEPEST)]));
  depths.delete('');
  return ({ text }) => (text.length > HEADING_CHARS ? null : (depths.get(wordsOf(text)) ?? null));
}

/** Characters by some property of the lines, and the value that most of them have. */
function tally<T>(
  lines: readonly PdfLine[],
  property: (line: PdfLine) => T,
): { counts: Map<T, number>; most: T | null } {
  const counts = new Map<T, number>();
  for (const line of lines) counts.set(property(line), (counts.get(property(line)) ?? 0) + line.text.length);
  const [most] = [...counts].reduce<readonly [T | null, number]>((a, b) => (b[1] > a[1] ? b : a), [null, 0]);
  return { counts, most };
}

const NUMBERED = /^(\d{1,2}(?:\.\d{1,2}){1,3})\.?\s+\p{Lu}/u;
const NUMBERED_CHARS = 100;

/** `3.1 Traces`, not much larger than the body but in another font. */
function numberedDepth(line: PdfLine, bodyFont: string | null, body: number, above: number): number | null {
  if (line.font === bodyFont || line.size < 0.95 * body || line.text.length > NUMBERED_CHARS) return null;
  const number = NUMBERED.exec(line.text.trim())?.[1];
  return number === undefined ? null : Math.min(above + number.split('.').length - 1, DEEPEST);
}

/** The larger the letters, the higher the heading. */
function bySize(lines: readonly PdfLine[]): HeadingDepth {
  const { counts, most } = tally(lines, ({ size }) => size);
  const body = most ?? 0;
  const { most: bodyFont } = tally(lines, ({ font }) => font);
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

/** Headings as the outline names them; where it names few or none, by the size of their letters. */
export function headingDepth(lines: readonly PdfLine[], outline: readonly OutlineEntry[]): HeadingDepth {
  const outlined = byOutline(outline);
  const found = new Set(lines.filter((line) => outlined(line) !== null).map(({ text }) => wordsOf(text))).size;
  return found > 2 && found >= outline.length / 2 ? outlined : bySize(lines);
}
