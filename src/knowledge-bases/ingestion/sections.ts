import type { PageStart } from '../../extraction';
import type { Chunk } from './chunking';

export interface PlacedChunk extends Chunk {
  /** First and last page, from 1; null where the text has no pages. */
  readonly page: number | null;
  readonly pageEnd: number | null;
  readonly sectionStart: number;
  readonly sectionEnd: number;
}

/** A longer section is given in parts of at most this many characters, cut between chunks. */
const SECTION_MAX = 8_000;
/** The same for a text that has neither headings nor pages. */
const WINDOW_MAX = 4_000;

/** Page at an offset: the last one that starts at or before it. Null without pages. */
function pageAt(pages: readonly PageStart[], offset: number): number | null {
  let low = 0;
  let high = pages.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pages[middle]?.start ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return (pages[low - 1] ?? pages[0])?.page ?? null;
}

interface Group {
  /** What its chunks share: a heading, else a page, else nothing. */
  readonly key: string;
  readonly start: number;
  readonly max: number;
  readonly chunks: (Chunk & Pick<PlacedChunk, 'page' | 'pageEnd'>)[];
}

function openGroup(chunk: Chunk, key: string, page: number | null, before: Group | null): Group {
  // A heading that left no room for its text is a chunk of its own.
  const begins = before?.key === key ? chunk.start : Math.min(chunk.section ?? chunk.start, chunk.start);
  return { key, start: begins, max: chunk.section === null && page === null ? WINDOW_MAX : SECTION_MAX, chunks: [] };
}

function* placed({ start, chunks }: Group): Generator<PlacedChunk> {
  const end = chunks.reduce((last, chunk) => Math.max(last, chunk.end), start);
  for (const chunk of chunks) yield { ...chunk, sectionStart: start, sectionEnd: end };
}

/**
 * Tells each chunk its pages and its section: what stands between its innermost heading and the next heading; without
 * headings its page, else a window. Chunks of one section are given the same range; it holds each of them whole.
 */
export function* placeChunks(chunks: Iterable<Chunk>, pages: readonly PageStart[]): Generator<PlacedChunk> {
  let group: Group | null = null;
  for (const chunk of chunks) {
    const page = pageAt(pages, chunk.start);
    const key = chunk.section === null ? `page ${page ?? ''}` : `heading ${chunk.section}`;
    if (group === null || group.key !== key || chunk.end - group.start > group.max) {
      if (group !== null) yield* placed(group);
      group = openGroup(chunk, key, page, group);
    }
    group.chunks.push({ ...chunk, page, pageEnd: pageAt(pages, chunk.end - 1) });
  }
  if (group !== null) yield* placed(group);
}
