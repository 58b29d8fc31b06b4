import {
  type Chunk,
  type ExtractedDocument,
  ExtractionError,
  Extractor,
  type PageStart,
  type TextCuts,
  chunksAt,
} from '@bellwether/extraction';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { BlobStore, readCurrent } from '../../files';
import { CONFIG, type Config } from '../../infrastructure/config';
import type { IndexedChunk } from '../search/chunk.types';
import { INDEX_BATCH } from '../search/index-statements';
import { searchableText } from '../search/searchable-text';
import { fileToRead } from '../storage/document-files';
import { knowledgeBaseSpace } from '../storage/document-scope.repository';
import type { DocumentEntity } from '../storage/document.entity';
import { DocumentRepository } from '../storage/document.repository';
import { KnowledgeBaseRepository } from '../storage/knowledge-base.repository';
import { ClaimLost, type Content } from './document-writer';

interface PlacedChunk extends Chunk {
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
function* placeChunks(chunks: Iterable<Chunk>, pages: readonly PageStart[]): Generator<PlacedChunk> {
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

/** Reads a stored document and cuts it into chunks with the settings of its knowledge base. */
@Injectable()
export class DocumentReader {
  private readonly maxBytes: number;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly documents: DocumentRepository,
    private readonly blobs: BlobStore,
    private readonly extractor: Extractor,
  ) {
    this.maxBytes = config.extraction.maxBytes;
  }

  /** @throws {ExtractionError} when the document cannot be read, {ClaimLost} when its knowledge base is gone. */
  async read(row: DocumentEntity, signal: AbortSignal): Promise<Content> {
    const { organizationId, knowledgeBaseId, filename } = row;
    const { size } = fileToRead(row);
    const knowledgeBase = await this.knowledgeBases.within(organizationId).find(knowledgeBaseId);
    if (knowledgeBase === null || knowledgeBase.deletedAt !== null) throw new ClaimLost();
    if (size > this.maxBytes) {
      throw new ExtractionError('document.too_large', `The file is larger than ${this.maxBytes} bytes`);
    }
    const bytes = await readCurrent(row, {
      nameOf: (now) => fileToRead(now).storageName,
      again: () => this.documents.within(organizationId).find(row.id),
      read: (now) =>
        this.blobs.read(
          knowledgeBaseSpace(organizationId, knowledgeBaseId),
          fileToRead(now).storageName,
          this.maxBytes,
          signal,
        ),
    });
    // The upload stores only the beginning of a file that is too large.
    if (bytes.length < size) throw new ExtractionError('document.too_large', 'The file is too large to be uploaded');
    const chunking = { size: knowledgeBase.chunkSize, overlap: knowledgeBase.chunkOverlap };
    const { cuts, ...document } = await this.extractor.extract({ bytes, filename, chunking }, { signal });
    if (cuts === null) throw new Error('The parser returned no chunks');
    return { ...document, batches: chunkBatches({ ...document, cuts }, INDEX_BATCH) };
  }
}
