import { blocksOf, type TextBlock } from './text-blocks';

export interface ChunkingOptions {
  /** Characters per chunk, at most. */
  readonly size: number;
  /** Characters of the chunk before that are repeated, at most; whole sentences, never across a heading. */
  readonly overlap: number;
}

/** A slice of the text. Offsets are UTF-16 code units: `text === whole.slice(start, end)`. */
export interface Chunk {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Headings above the chunk's first words, outermost first. */
  readonly headings: readonly string[];
}

interface Span {
  start: number;
  end: number;
  readonly headings: readonly string[];
  /** False for code, tables and formulas, whose lines are not repeated out of context. */
  prose: boolean;
}

const SENTENCE_END = /[.!?…:;]["'»”’)\]]*\s+|\n+/g;

/** Last position in (from, to] where `pattern` ends inside the slice, or -1. */
function lastBreak(text: string, from: number, to: number, pattern: RegExp): number {
  let last = -1;
  for (const match of text.slice(from, to).matchAll(pattern)) {
    const at = from + match.index + match[0].length;
    if (at > from && at <= to) last = at;
  }
  return last;
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Where to cut a piece that is too long: after a line (code) or a sentence, else between words, else anywhere but in a character. */
function cutPoint(text: string, start: number, limit: number, prose: boolean): number {
  const half = start + Math.floor((limit - start) / 2);
  for (const pattern of prose ? [SENTENCE_END, /\s+/g] : [/\n/g, /\s+/g]) {
    const at = lastBreak(text, half, limit, pattern);
    if (at > start) return at;
  }
  return isLowSurrogate(text.charCodeAt(limit)) ? limit - 1 : limit;
}

function* pieces(text: string, block: TextBlock, size: number): Generator<Span> {
  const { headings, prose } = block;
  let start = block.start;
  while (block.end - start > size) {
    const end = Math.max(cutPoint(text, start, start + size, prose), start + 1);
    yield { start, end, headings, prose };
    start = end;
  }
  if (start < block.end) yield { start, end: block.end, headings, prose };
}

/** A heading closes the chunk before it, unless that is too small to stand alone. */
const closes = (block: TextBlock, open: Span, size: number): boolean =>
  block.heading && open.end - open.start >= size / 4;

function gather(text: string, { size }: ChunkingOptions): Span[] {
  const spans: Span[] = [];
  let open: Span | null = null;
  for (const block of blocksOf(text)) {
    for (const piece of pieces(text, block, size)) {
      if (open !== null && piece.end - open.start <= size && !closes(block, open, size)) {
        open.end = piece.end;
        open.prose = piece.prose;
      } else {
        if (open !== null) spans.push(open);
        open = { ...piece };
      }
    }
  }
  if (open !== null) spans.push(open);
  return spans;
}

const sameHeadings = (a: Span, b: Span): boolean => a.headings.join('\n') === b.headings.join('\n');

/** Start of the overlap inside the span before: the first sentence that begins within `overlap` of its end. */
function overlapStart(text: string, before: Span, { overlap }: ChunkingOptions): number {
  const from = Math.max(before.end - overlap, before.start + 1);
  for (const match of text.slice(from, before.end).matchAll(SENTENCE_END)) {
    const at = from + match.index + match[0].length;
    if (at < before.end) return at;
  }
  return before.end;
}

function trimmed(text: string, span: Span): Chunk | null {
  const slice = text.slice(span.start, span.end);
  const start = span.start + (slice.length - slice.trimStart().length);
  const end = span.start + slice.trimEnd().length;
  return end > start ? { start, end, text: text.slice(start, end), headings: span.headings } : null;
}

/** Cuts a text along its structure: headings, paragraphs, code, tables. Every character that is not white space is in a chunk. */
export function chunkText(text: string, options: ChunkingOptions): Chunk[] {
  const spans = gather(text, options);
  return spans.flatMap((span, index) => {
    const before = spans[index - 1];
    const joins = before !== undefined && before.prose && span.prose && sameHeadings(before, span);
    const start = joins && options.overlap > 0 ? overlapStart(text, before, options) : span.start;
    return trimmed(text, { ...span, start }) ?? [];
  });
}
