export const DOCUMENT_FORMATS = ['pdf', 'docx', 'html', 'markdown', 'text', 'csv', 'json'] as const;
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];

/** What uploaded bytes are, by their content. */
export interface DetectedFormat {
  readonly format: DocumentFormat;
  /** Media type to serve the original with. */
  readonly contentType: string;
}

export interface ExtractionInput {
  readonly bytes: Buffer;
  /** The client's name of the file; only its extension is looked at, which must agree with the content. */
  readonly filename: string;
}

/** Where a page begins: `start` is an offset into the document's text. Pages are numbered from 1. */
export interface PageStart {
  readonly page: number;
  readonly start: number;
}

/** Offsets are UTF-16 code units of `text`. */
export interface ExtractedDocument extends DetectedFormat {
  /** Markdown-like: `#` headings, `|` tables, fenced code; formulas as they were written. Never holds NUL or half a character. */
  readonly text: string;
  readonly title: string | null;
  /** In order, one per page that holds text; empty where the format has no pages. */
  readonly pages: readonly PageStart[];
  /** What was left out or guessed, in words for the owner. */
  readonly warnings: readonly string[];
}

/** Defaults and meaning: the variables `EXTRACTION_*`. */
export interface ExtractionLimits {
  readonly maxBytes: number;
  readonly maxPages: number;
  /** Characters of extracted text. */
  readonly maxCharacters: number;
  /** How many times larger than the file its unpacked content may be. */
  readonly maxExpansion: number;
  readonly timeoutMs: number;
  /** Resident memory of one parser process. */
  readonly memoryMb: number;
}
