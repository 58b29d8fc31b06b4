/** Codes of failures of a source, beside those of the outbound client. */
export type SourceErrorCode =
  | 'source.robots'
  | 'source.not_found'
  | 'source.forbidden'
  | 'source.status'
  | 'source.unavailable'
  | 'source.content_type'
  | 'source.type_changed'
  | 'source.too_large'
  | 'source.no_captions';

/** The address gave nothing that can be read. `message` is a sentence for the owner and never quotes the site. */
export class SourceError extends Error {
  constructor(
    readonly code: SourceErrorCode,
    message: string,
    /** A later try may succeed. */
    readonly transient = false,
  ) {
    super(message);
    this.name = 'SourceError';
  }
}
