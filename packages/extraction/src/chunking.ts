import { type BlockOptions, blocksOf, type TextBlock, type TextRange } from './text-blocks';

export interface ChunkingOptions extends BlockOptions {
  /** Most characters per chunk, repeated column names included. */
  readonly size: number;
  /** Most characters repeated from the previous chunk: whole sentences, never across a heading. */
  readonly overlap: number;
}

/** Place of a chunk in the text; offsets are UTF-16 code units. */
interface Cut extends TextRange {
  /** Headings above the text, outermost first. */
  readonly headings: readonly string[];
  /** Offset of the innermost heading; null above the first one. */
  readonly section: number | null;
  /** Column names of the table in whose middle the chunk begins; else null. */
  readonly header: TextRange | null;
}

/** Cuts of a text, small enough to be sent between processes: numbers, and each list of headings once. */
export interface TextCuts {
  /** `NUMBERS` for each cut. */
  readonly places: Uint32Array;
  readonly headings: readonly (readonly string[])[];
}

/** A slice of the text. */
export interface Chunk extends Omit<Cut, 'header'> {
  readonly text: string;
  /** Column names of the table in whose middle the chunk begins, as written; else null. */
  readonly tableHeader: string | null;
}

interface Span {
  start: number;
  end: number;
  headings: readonly string[];
  section: number | null;
  /** True while the span has no text below its headings. */
  headingsOnly: boolean;
  readonly header: TextBlock['header'];
  /** False for code, tables and formulas: they are not repeated as overlap. */
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

/** Cut point of a long piece: after a line (code) or a sentence, else between words, else between characters. */
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

const lengthOf = (range: TextRange): number => range.end - range.start;

/** Largest share of a chunk for repeated column names. */
const HEADER_SHARE = 0.75;

const repeatedHeader = ({ header }: TextBlock, size: number): TextRange | null =>
  header === null || lengthOf(header) > size * HEADER_SHARE ? null : header;

/** Column names of a table that began before the span. */
const missingHeader = ({ start, header }: Pick<Span, 'start' | 'header'>): TextRange | null =>
  header !== null && start >= header.end ? header : null;

/** Most characters of a span: its missing column names count too. */
function capacity(span: Pick<Span, 'start' | 'header'>, size: number): number {
  const header = missingHeader(span);
  return header === null ? size : size - lengthOf(header);
}

/** Pieces of a block; the first has at most `firstSize` characters. */
function* pieces(text: string, block: TextBlock, size: number, firstSize: number): Generator<Span> {
  const { headings, section, prose, heading: headingsOnly } = block;
  const header = repeatedHeader(block, size);
  const shared = { headings, section, header, prose, headingsOnly };
  let start = block.start;
  let limit = Math.min(firstSize, capacity({ start, header }, size));
  while (block.end - start > limit) {
    const end = Math.max(cutPoint(text, start, start + limit, prose), start + 1);
    yield { start, end, ...shared };
    start = end;
    limit = capacity({ start, header }, size);
  }
  if (start < block.end) yield { start, end: block.end, ...shared };
}

/** Most characters of a block's first piece: less after headings, which share its chunk. */
function firstPieceSize(block: TextBlock, open: Span | null, size: number): number {
  if (block.heading || open === null || !open.headingsOnly) return size;
  const left = size - lengthOf(open);
  return left >= size / 2 ? left : size;
}

/** A chunk belongs to one section, so a heading closes a chunk that has text. */
const closes = (piece: Span, open: Span): boolean => piece.headingsOnly && !open.headingsOnly;

function extend(open: Span, { end, prose, headings, section, headingsOnly }: Span): void {
  open.end = end;
  open.prose = prose;
  if (!open.headingsOnly) return;
  open.headings = headings;
  open.section = section;
  open.headingsOnly = headingsOnly;
}

function* gather(text: string, { size, ...options }: ChunkingOptions): Generator<Span> {
  let open: Span | null = null;
  for (const block of blocksOf(text, options)) {
    if (block.navigation) {
      if (open !== null) yield open;
      open = null;
      continue;
    }
    for (const piece of pieces(text, block, size, firstPieceSize(block, open, size))) {
      if (open !== null && piece.end - open.start <= capacity(open, size) && !closes(piece, open)) {
        extend(open, piece);
      } else {
        if (open !== null) yield open;
        open = { ...piece };
      }
    }
  }
  if (open !== null) yield open;
}

/** Start of the overlap in the previous span: the first sentence that begins within `overlap` of its end. */
function overlapStart(text: string, before: Span, { overlap }: ChunkingOptions): number {
  const from = Math.max(before.end - overlap, before.start + 1);
  for (const match of text.slice(from, before.end).matchAll(SENTENCE_END)) {
    const at = from + match.index + match[0].length;
    if (at < before.end) return at;
  }
  return before.end;
}

function trimmed(text: string, span: Span, from: number): Cut | null {
  const slice = text.slice(from, span.end);
  const start = from + (slice.length - slice.trimStart().length);
  const end = from + slice.trimEnd().length;
  if (end <= start) return null;
  return { start, end, headings: span.headings, section: span.section, header: missingHeader(span) };
}

/**
 * Cuts a text along its structure: headings, paragraphs, code, tables. All text except white space and navigation (tables
 * of links, dotted tables of contents) is in a chunk.
 */
function* cutsIn(text: string, options: ChunkingOptions): Generator<Cut> {
  let before: Span | null = null;
  for (const span of gather(text, options)) {
    const joins =
      before !== null && before.prose && span.prose && before.section === span.section && before.end === span.start;
    const from = joins && before !== null && options.overlap > 0 ? overlapStart(text, before, options) : span.start;
    const cut = trimmed(text, span, from);
    before = { ...span };
    if (cut !== null) yield cut;
  }
}

/** Start, end, list of headings, offset of the section plus 1, start and end of the column names. */
const NUMBERS = 6;

/** Runs in a parser process: a hostile text may take long, or all the memory. */
export function cutText(text: string, options: ChunkingOptions): TextCuts {
  const places: number[] = [];
  const headings: (readonly string[])[] = [];
  for (const cut of cutsIn(text, options)) {
    const last = headings.at(-1);
    const isSame = last?.length === cut.headings.length && last.every((title, at) => title === cut.headings[at]);
    if (!isSame) headings.push(cut.headings);
    const section = cut.section === null ? 0 : cut.section + 1;
    places.push(cut.start, cut.end, headings.length - 1, section, cut.header?.start ?? 0, cut.header?.end ?? 0);
  }
  return { places: Uint32Array.from(places), headings };
}

/** The chunks of a text that was cut. Each step takes time in proportion to its chunk. */
export function* chunksAt(text: string, { places, headings }: TextCuts): Generator<Chunk> {
  for (let at = 0; at < places.length; at += NUMBERS) {
    const [start = 0, end = 0, list = 0, section = 0, names = 0, namesEnd = 0] = places.subarray(at, at + NUMBERS);
    yield {
      start,
      end,
      text: text.slice(start, end),
      headings: headings[list] ?? [],
      section: section === 0 ? null : section - 1,
      tableHeader: namesEnd === 0 ? null : text.slice(names, namesEnd).trimEnd(),
    };
  }
}
