/** One uploaded file, as the API shows it. */
export interface StoredFile {
  readonly id: string;
  /** Path inside the owner's file space. */
  readonly path: string;
  readonly content_type: string;
  readonly size: number;
  readonly sha256: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

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
  /** Parts of a document that the extractor left out; absent when it read everything. */
  readonly warnings?: readonly string[];
}
