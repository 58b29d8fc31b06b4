import type { FileDto } from './file.dto';

/** One uploaded file, as the API shows it. */
export type StoredFile = FileDto;

export interface FileContent extends StoredFile {
  readonly bytes: Buffer;
}

/** Lengths are UTF-16 code units. */
export interface FileText {
  readonly path: string;
  readonly text: string;
  /** Length of `text`. */
  readonly chars: number;
  /** Length of the whole file's text. */
  readonly totalChars: number;
  readonly truncated: boolean;
  /** Parts of a document that the extractor could not read. */
  readonly warnings?: readonly string[];
}
