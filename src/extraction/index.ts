export { detectFormat } from './detect-format';
export { EXTRACTION_ERROR_CODES, ExtractionError, type ExtractionErrorCode } from './extraction.errors';
export { ExtractionModule } from './extraction.module';
export type { DetectedFormat, DocumentFormat, ExtractedDocument, ExtractionInput, PageStart } from './extraction.types';
export { DOCUMENT_FORMATS } from './extraction.types';
export { Extractor } from './extractor';
