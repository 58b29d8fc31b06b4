import { type BlockOptions, blocksOf, type TextBlock } from './text-blocks';

export interface ChunkingOptions extends BlockOptions {
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
  /** Offset of the innermost of them; null above the first heading. */
  readonly section: number | null;
  /** Column names of the table that the chunk begins in the middle of, as they are written; else null. */
  readonly tableHeader: string | null;
}

interface Span {
  start: number;
  end: number;
  readonly headings: readonly string[];
  readonly section: number | null;
  readonly header: TextBlock['header'];
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
  const lineEnd = prose ? -1 : start + text.slice(start, limit).lastIndexOf('\n') + 1;
  if (lineEnd > start) return lineEnd;
  for (const pattern of prose ? [SENTENCE_END, /\s+/g] : [/\s+/g]) {
    const at = lastBreak(text, half, limit, pattern);
    if (at > start) return at;
  }
  return isLowSurrogate(text.charCodeAt(limit)) ? limit - 1 : limit;
}

function* pieces(text: string, block: TextBlock, size: number): Generator<Span> {
  const { headings, section, header, prose } = block;
  const shared = { headings, section, header, prose };
  let start = block.start;
  while (block.end - start > size) {
    const end = Math.max(cutPoint(text, start, start + size, prose), start + 1);
    yield { start, end, ...shared };
    start = end;
  }
  if (start < block.end) yield { start, end: block.end, ...shared };
}

/** A heading closes the chunk before it, unless that is too small to stand alone. */
const closes = (block: TextBlock, open: Span, size: number): boolean =>
  block.heading && open.end - open.start >= size / 4;

function* gather(text: string, { size, ...options }: ChunkingOptions): Generator<Span> {
  let open: Span | null = null;
  for (const block of blocksOf(text, options)) {
    for (const piece of pieces(text, block, size)) {
      if (open !== null && piece.end - open.start <= size && !closes(block, open, size)) {
        open.end = piece.end;
        open.prose = piece.prose;
      } else {
        if (open !== null) yield open;
        open = { ...piece };
      }
    }
  }
  if (open !== null) yield open;
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

/** Column names that a chunk lacks because its table began before it. */
const missingHeader = (text: string, { start, header }: Span): string | null =>
  header !== null && start >= header.end ? text.slice(header.start, header.end) : null;

function trimmed(text: string, span: Span, from: number): Chunk | null {
  const slice = text.slice(from, span.end);
  const start = from + (slice.length - slice.trimStart().length);
  const end = from + slice.trimEnd().length;
  if (end <= start) return null;
  const { headings, section } = span;
  return { start, end, text: text.slice(start, end), headings, section, tableHeader: missingHeader(text, span) };
}

/**
 * Cuts a text along its structure: headings, paragraphs, code, tables. Every character that is not white space is in a
 * chunk. Each step is short (some ten thousand characters), however long the text is.
 */
export function* chunkText(text: string, options: ChunkingOptions): Generator<Chunk> {
  let before: Span | null = null;
  for (const span of gather(text, options)) {
    const joins = before !== null && before.prose && span.prose && sameHeadings(before, span);
    const from = joins && before !== null && options.overlap > 0 ? overlapStart(text, before, options) : span.start;
    const chunk = trimmed(text, span, from);
    before = { ...span };
    if (chunk !== null) yield chunk;
  }
}
