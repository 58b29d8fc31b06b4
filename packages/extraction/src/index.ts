export { type Chunk, chunksAt, cutText, type TextCuts } from './chunking';
export { locatorUnitOf } from './document/document-format';
export { detectFormat } from './detect-format';
export { EXTRACTION_ERROR_CODES, ExtractionError, type ExtractionErrorCode } from './document/extraction.errors';
export type {
  DetectedFormat,
  DocumentFormat,
  ExtractedDocument,
  ExtractionInput,
  PageStart,
} from './document/extraction.types';
export { DOCUMENT_FORMATS } from './document/extraction.types';
export { Extractor, type ExtractorOptions } from './extractor';
