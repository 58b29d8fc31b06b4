/** Explained in docs/guide/documents.md. */
export const EXTRACTION_ERROR_CODES = [
  'document.empty',
  'document.type_mismatch',
  'document.unsupported',
  'document.encrypted',
  'document.no_text',
  'document.too_large',
  'document.too_many_pages',
  'document.expansion',
  'document.timeout',
  'document.malformed',
  'document.encoding',
  'document.resource',
] as const;
export type ExtractionErrorCode = (typeof EXTRACTION_ERROR_CODES)[number];

/** The document cannot be read. `message` is a sentence for the owner and never quotes the document. */
export class ExtractionError extends Error {
  constructor(
    readonly code: ExtractionErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ExtractionError';
  }
}
