import { createHash } from 'node:crypto';

/** The same hash as `md5(text)` in PostgreSQL. */
export const chunkHash = (text: string): string => createHash('md5').update(text).digest('hex');

/** A chunk to be indexed. Offsets are UTF-16 code units of the document's text. */
export interface IndexedChunk {
  readonly start: number;
  readonly end: number;
  /** Headings above it, outermost first, joined by ` › `. */
  readonly section: string;
  readonly text: string;
  /** Column names of the table in whose middle the chunk begins; else null. */
  readonly tableHeader: string | null;
  /** Indexed instead of `text`: with headings, accents folded. */
  readonly searchText: string;
  /** First and last page, from 1; null where the format has no pages. */
  readonly page: number | null;
  readonly pageEnd: number | null;
  /** The section around the chunk: below one heading, else a page, else a window of the text. */
  readonly sectionStart: number;
  readonly sectionEnd: number;
}

/** A chunk that was found. Every search mode gives these columns. */
export interface Hit {
  readonly chunk_id: string;
  readonly knowledge_base_id: string;
  readonly document_id: string;
  readonly generation: string;
  readonly filename: string;
  /** Address that the document was fetched from. */
  readonly source_url: string | null;
  readonly title: string | null;
  readonly text: string;
  readonly table_header: string | null;
  readonly section: string;
  readonly page: number | null;
  readonly page_end: number | null;
  /** Printed number of the first and last page, or name of the sheet; null when only the position is known. */
  readonly page_label: string | null;
  readonly page_end_label: string | null;
  /** Pages of the document; null when unknown. */
  readonly page_count: number | null;
  readonly ordinal: number;
  readonly chunk_count: number;
  readonly start_offset: number;
  readonly end_offset: number;
  readonly section_start: number;
  readonly section_end: number;
  /** 0..1, higher is closer; comparable within one mode only. */
  readonly similarity: number;
  /** Similarity to the rarest words of the question alone; null when the words were not searched for. */
  readonly strength: number | null;
  /** Words of the question that no passage has, as stems; null for none. */
  readonly unknown: readonly string[] | null;
}
