import type { ExtractedDocument, ExtractionLimits } from '../extraction.types';
import type { ExtractionErrorCode } from '../extraction.errors';

export interface ToParser {
  readonly filename: string;
  readonly bytes: Uint8Array;
  readonly limits: ExtractionLimits;
}

export type FromParser =
  | { readonly type: 'ready' }
  | { readonly type: 'document'; readonly document: ExtractedDocument }
  /** The document was refused; the process is fit for another one. */
  | { readonly type: 'refused'; readonly code: ExtractionErrorCode; readonly message: string }
  /** A library threw something unexpected; the process is not trusted with another document. `reason` is an error's class, never its message. */
  | { readonly type: 'broken'; readonly reason: string };
