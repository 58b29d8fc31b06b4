import { setImmediate as nextTurn } from 'node:timers/promises';
import { chunksAt, type ExtractedDocument, type TextCuts } from '../../extraction';
import type { IndexedChunk } from '../search/chunk.types';
import { searchableText } from '../search/words/searchable-text';
import { type PlacedChunk, placeChunks } from './place-chunks';

const SECTION_SEPARATOR = ' › ';
/** Milliseconds of work before yielding to the event loop. */
const SLICE_MS = 10;

export interface ChunkSource extends Pick<ExtractedDocument, 'text' | 'pages'> {
  readonly cuts: TextCuts;
}

/** Headings and column names are indexed with every chunk below them: they say what it is about. */
const searchTextOf = ({ headings, tableHeader, text }: PlacedChunk): string =>
  searchableText([...headings, ...(tableHeader === null ? [] : [tableHeader]), text].join('\n'));

const toIndexed = (chunk: PlacedChunk): IndexedChunk => ({
  start: chunk.start,
  end: chunk.end,
  section: chunk.headings.join(SECTION_SEPARATOR),
  text: chunk.text,
  tableHeader: chunk.tableHeader,
  searchText: searchTextOf(chunk),
  page: chunk.page,
  pageEnd: chunk.pageEnd,
  sectionStart: chunk.sectionStart,
  sectionEnd: chunk.sectionEnd,
});

/**
 * Searchable chunks of a document, in order. Lazy: each step is short, but all chunks of a huge document take seconds. Use
 * `chunkBatches` on the event loop.
 */
export function* chunksOf({ text, pages, cuts }: ChunkSource): Generator<IndexedChunk> {
  for (const chunk of placeChunks(chunksAt(text, cuts), pages)) yield toIndexed(chunk);
}

/** Batches of `size` chunks. Yields to the event loop every few milliseconds. */
export async function* chunkBatches(document: ChunkSource, size: number): AsyncGenerator<readonly IndexedChunk[]> {
  let batch: IndexedChunk[] = [];
  let since = performance.now();
  for (const chunk of chunksOf(document)) {
    batch.push(chunk);
    if (performance.now() - since > SLICE_MS) {
      await nextTurn();
      since = performance.now();
    }
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
