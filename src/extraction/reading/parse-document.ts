import { cutText } from '../chunking/chunking';
import { ExtractionError } from '../document/extraction.errors';
import type {
  DocumentFormat,
  ExtractedDocument,
  ExtractionInput,
  ExtractionLimits,
} from '../document/extraction.types';
import { detectFormat } from './detect-format';
import type { Content, FormatReader } from '../formats/format-reader.types';
import { readCaptions } from '../formats/captions';
import { readCsv } from '../formats/csv';
import { readEpub } from '../formats/epub';
import { readNotebook } from '../formats/notebook';
import { readDocx } from '../formats/office/docx';
import { readHtml } from '../formats/html';
import { readJson } from '../formats/json';
import { readPdf } from '../formats/pdf/pdf';
import { readPptx } from '../formats/office/pptx';
import { readText } from '../formats/text';
import { readXlsx } from '../formats/xlsx/xlsx';

const READERS: Readonly<Record<DocumentFormat, FormatReader>> = {
  pdf: readPdf,
  docx: readDocx,
  pptx: readPptx,
  xlsx: readXlsx,
  epub: readEpub,
  notebook: readNotebook,
  html: readHtml,
  markdown: readText,
  text: readText,
  csv: readCsv,
  json: readJson,
  vtt: readCaptions,
  srt: readCaptions,
};

/** Formats whose text has one record per line. */
const RECORDS: ReadonlySet<DocumentFormat> = new Set(['csv', 'json']);

/** PostgreSQL rejects NUL and unpaired surrogates. */
const storable = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', ' ') : text).toWellFormed();

const withinLimit = ({ text }: Content, { maxCharacters }: ExtractionLimits): void => {
  if (text.length <= maxCharacters) return;
  throw new ExtractionError('document.too_large', `The document holds more than ${maxCharacters} characters of text`);
};

/** Runs in a parser process, which may be killed. @throws {ExtractionError} */
export async function parseDocument(
  { bytes, filename, chunking }: ExtractionInput,
  limits: ExtractionLimits,
): Promise<ExtractedDocument> {
  const { format, contentType, encoding } = await detectFormat(bytes, filename);
  const content = await READERS[format]({ bytes, encoding, limits });
  withinLimit(content, limits);
  const { text, title, pages, pageCount = null, pageLabels = [], warnings } = content;
  const stored = storable(text);
  return {
    format,
    contentType,
    text: stored,
    title: title === null ? null : storable(title),
    pages,
    pageCount,
    pageLabels: pageLabels.map(storable),
    warnings,
    cuts: chunking === undefined ? null : cutText(stored, { ...chunking, records: RECORDS.has(format) }),
  };
}
