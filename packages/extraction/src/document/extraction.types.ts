import type { ChunkingOptions, TextCuts } from '../chunking';
import type { TextEncoding } from './text-decoding';

export const DOCUMENT_FORMATS = [
  'pdf',
  'docx',
  'pptx',
  'xlsx',
  'epub',
  'notebook',
  'html',
  'markdown',
  'text',
  'csv',
  'json',
  'vtt',
  'srt',
] as const;
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];

export interface DetectedFormat {
  readonly format: DocumentFormat;
  /** Media type to serve the original with. */
  readonly contentType: string;
  /** Null for formats that are not text. */
  readonly encoding: TextEncoding | null;
}

export interface ExtractionInput {
  readonly bytes: Buffer;
  /** Only its extension is used. It must match the content. */
  readonly filename: string;
  /** Set where the text is wanted in chunks. */
  readonly chunking?: Omit<ChunkingOptions, 'records'>;
}

/** `start` is an offset in the document's text. Pages, slides, sheets and cells are numbered from 1. */
export interface PageStart {
  readonly page: number;
  readonly start: number;
}

/** Offsets are UTF-16 code units of `text`. */
export interface ExtractedDocument extends Omit<DetectedFormat, 'encoding'> {
  /** Markdown-like: `#` headings, `|` tables, fenced code; formulas as written. Without NUL and unpaired surrogates. */
  readonly text: string;
  readonly title: string | null;
  /** One per page, slide, sheet or cell with text, in order; empty for formats without such places. */
  readonly pages: readonly PageStart[];
  /** Number of all pages, slides, sheets or cells; null for formats without them. */
  readonly pageCount: number | null;
  /** Printed page numbers, or names of sheets, from the first on. Empty where they only count from 1. */
  readonly pageLabels: readonly string[];
  /** Missing or guessed parts, in words for the owner. */
  readonly warnings: readonly string[];
  /** Null unless the input asks for chunks. */
  readonly cuts: TextCuts | null;
}

/** Set by the variables `EXTRACTION_*`. */
export interface ExtractionLimits {
  readonly maxBytes: number;
  readonly maxPages: number;
  /** Characters of extracted text. */
  readonly maxCharacters: number;
  /** Largest ratio of unpacked to packed size. */
  readonly maxExpansion: number;
  readonly timeoutMs: number;
  /** Resident memory of one parser process. */
  readonly memoryMb: number;
}
