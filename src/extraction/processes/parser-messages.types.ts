import type { ExtractedDocument, ExtractionLimits } from '../document/extraction.types';
import type { ExtractionErrorCode } from '../document/extraction.errors';

export interface ToParser {
  /** Which of the questions to this process it is; the answer says it again. */
  readonly id: number;
  readonly filename: string;
  readonly bytes: Uint8Array;
  readonly limits: ExtractionLimits;
}

export type FromParser =
  | { readonly type: 'ready' }
  | ParserAnswer
  /** A library threw something into nothing, perhaps on account of an earlier document. */
  | ({ readonly type: 'stray' } & Untrusted);

/** What became of one question. */
export type ParserAnswer = { readonly id: number } & (
  | { readonly type: 'document'; readonly document: ExtractedDocument }
  /** The document was refused; the process is fit for another one. */
  | { readonly type: 'refused'; readonly code: ExtractionErrorCode; readonly message: string }
  /** A library threw something unexpected at this document. */
  | ({ readonly type: 'broken' } & Untrusted)
);

/** The process is not trusted with another document. `reason` is an error's class, never its message. */
interface Untrusted {
  readonly reason: string;
}
