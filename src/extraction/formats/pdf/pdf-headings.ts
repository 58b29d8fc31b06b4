import { characterCounts, mostFrequent } from './most-frequent';
import type { PdfLine } from './pdf-lines';
import type { OutlineEntry } from './pdf.types';

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
