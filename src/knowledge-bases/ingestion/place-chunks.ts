import type { Chunk, PageStart } from '../../extraction';

export interface PlacedChunk extends Chunk {
  /** First and last page, from 1; null where the text has no pages. */
  readonly page: number | null;
  readonly pageEnd: number | null;
  readonly sectionStart: number;
  readonly sectionEnd: number;
}

/** Longer sections are split between chunks. */
const SECTION_MAX = 8_000;
/** Sections of a text without headings and pages. */
const WINDOW_MAX = 4_000;

/** Binary search for the page at an offset. Null without pages. */
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
  /** Common heading of the chunks, else their page. */
  readonly key: string;
  readonly start: number;
  readonly max: number;
  readonly chunks: (Chunk & Pick<PlacedChunk, 'page' | 'pageEnd'>)[];
}

function openGroup(chunk: Chunk, key: string, page: number | null, before: Group | null): Group {
  // A long heading is a chunk of its own: the section begins there.
  const begins = before?.key === key ? chunk.start : Math.min(chunk.section ?? chunk.start, chunk.start);
  return { key, start: begins, max: chunk.section === null && page === null ? WINDOW_MAX : SECTION_MAX, chunks: [] };
}

function* placed({ start, chunks }: Group): Generator<PlacedChunk> {
  const end = chunks.reduce((last, chunk) => Math.max(last, chunk.end), start);
  for (const chunk of chunks) yield { ...chunk, sectionStart: start, sectionEnd: end };
}

/**
 * Adds pages and section to each chunk. A section reaches from the innermost heading to the next heading; without headings it
 * is a page, else a window. All chunks of a section get the same range.
 */
export function* placeChunks(chunks: Iterable<Chunk>, pages: readonly PageStart[]): Generator<PlacedChunk> {
  let group: Group | null = null;
  for (const chunk of chunks) {
    // Headings of chapters may stand on the page before the text.
    const page = pageAt(pages, Math.max(chunk.start, chunk.section ?? 0));
    const key = chunk.section === null ? `page ${page ?? ''}` : `heading ${chunk.section}`;
    if (group === null || group.key !== key || chunk.end - group.start > group.max) {
      if (group !== null) yield* placed(group);
      group = openGroup(chunk, key, page, group);
    }
    group.chunks.push({ ...chunk, page, pageEnd: pageAt(pages, chunk.end - 1) });
  }
  if (group !== null) yield* placed(group);
}
