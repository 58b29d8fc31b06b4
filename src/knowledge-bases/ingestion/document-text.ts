import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DocumentFormat, ExtractedDocument } from '../../extraction';
import type { IndexedChunk } from '../search/chunk.types';
import { searchableText } from '../search/words/searchable-text';
import { chunkText, type ChunkingOptions } from './chunking';
import { type PlacedChunk, placeChunks } from './place-chunks';

const SECTION_SEPARATOR = ' › ';
/** Formats whose text has one record per line. */
const RECORDS: readonly DocumentFormat[] = ['csv', 'json'];
/** Milliseconds of work before yielding to the event loop. */
const SLICE_MS = 10;

export type ChunkSource = Pick<ExtractedDocument, 'text' | 'pages' | 'format'>;

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
export function* chunksOf({ text, pages, format }: ChunkSource, chunking: ChunkingOptions): Generator<IndexedChunk> {
  const chunks = chunkText(text, { ...chunking, records: RECORDS.includes(format) });
  for (const chunk of placeChunks(chunks, pages)) yield toIndexed(chunk);
}

/** Batches of `size` chunks. Yields to the event loop every few milliseconds. */
export async function* chunkBatches(
  document: ChunkSource,
  chunking: ChunkingOptions,
  size: number,
): AsyncGenerator<readonly IndexedChunk[]> {
  let batch: IndexedChunk[] = [];
  let since = performance.now();
  for (const chunk of chunksOf(document, chunking)) {
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
