import type { ExtractedDocument, ExtractionLimits } from '../document/extraction.types';
import type { TextEncoding } from '../document/text-decoding';

export interface Source {
  readonly bytes: Buffer;
  /** Null for formats that are not text. */
  readonly encoding: TextEncoding | null;
  readonly limits: ExtractionLimits;
}

export type Content = Pick<ExtractedDocument, 'text' | 'title' | 'pages' | 'warnings'> &
  Partial<Pick<ExtractedDocument, 'pageCount' | 'pageLabels'>>;

/** Reads one format. @throws {ExtractionError} */
export type FormatReader = (source: Source) => Content | Promise<Content>;
