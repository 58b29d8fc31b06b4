import type { ExtractedDocument, ExtractionInput, ExtractionLimits } from '../document/extraction.types';
import type { ExtractionErrorCode } from '../document/extraction.errors';

export interface ToParser extends Omit<ExtractionInput, 'bytes'> {
  /** Correlates the answer with the request. */
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly limits: ExtractionLimits;
}

export type FromParser =
  | { readonly type: 'ready' }
  | ParserAnswer
  /** Uncaught error, perhaps of an earlier document. */
  | ({ readonly type: 'stray' } & Untrusted);

export type ParserAnswer = { readonly id: number } & (
  | { readonly type: 'document'; readonly document: ExtractedDocument }
  /** The document was rejected; the process can be used again. */
  | { readonly type: 'refused'; readonly code: ExtractionErrorCode; readonly message: string }
  /** Unexpected error of a library for this document. */
  | ({ readonly type: 'broken' } & Untrusted)
);

/** The process must not be used again. `reason` is the class of the error, never its message. */
interface Untrusted {
  readonly reason: string;
}
