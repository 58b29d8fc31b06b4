import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { cutText } from '../chunking';
import { ExtractionError } from '../document/extraction.errors';
import type {
  DocumentFormat,
  ExtractedDocument,
  ExtractionInput,
  ExtractionLimits,
} from '../document/extraction.types';
import type { Content, FormatReader } from '../formats/format-reader.types';
import { detectFormat } from '../detect-format';
import { type FromParser, OVER_MEMORY, type ParserAnswer, type ToParser } from './parser-process';
import type { WatchedProcess } from './process-watch-thread';

/** Loaded for the first document of a format: most documents need none of the libraries. */
const READERS: Readonly<Record<DocumentFormat, () => Promise<FormatReader>>> = {
  pdf: async () => (await import('../formats/pdf/pdf.js')).readPdf,
  docx: async () => (await import('../formats/office/docx.js')).readDocx,
  pptx: async () => (await import('../formats/office/pptx.js')).readPptx,
  xlsx: async () => (await import('../formats/xlsx/xlsx.js')).readXlsx,
  epub: async () => (await import('../formats/epub.js')).readEpub,
  notebook: async () => (await import('../formats/notebook.js')).readNotebook,
  html: async () => (await import('../formats/html.js')).readHtml,
  markdown: async () => (await import('../formats/text.js')).readText,
  text: async () => (await import('../formats/text.js')).readText,
  csv: async () => (await import('../formats/csv.js')).readCsv,
  json: async () => (await import('../formats/json.js')).readJson,
  vtt: async () => (await import('../formats/captions.js')).readCaptions,
  srt: async () => (await import('../formats/captions.js')).readCaptions,
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
async function parseDocument(
  { bytes, filename, chunking }: ExtractionInput,
  limits: ExtractionLimits,
): Promise<ExtractedDocument> {
  const { format, contentType, encoding } = await detectFormat(bytes, filename);
  const content = await (await READERS[format]())({ bytes, encoding, limits });
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

const tell = (message: FromParser): void => {
  process.send?.(message);
};

const classOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

async function answer({ id, bytes, limits, ...input }: ToParser): Promise<ParserAnswer> {
  try {
    const own = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { type: 'document', id, document: await parseDocument({ ...input, bytes: own }, limits) };
  } catch (error) {
    if (error instanceof ExtractionError) return { type: 'refused', id, code: error.code, message: error.message };
    return { type: 'broken', id, reason: classOf(error) };
  }
}

const [memoryMb, parent] = process.argv.slice(2).map(Number) as [number, number];
// The parent's id is an argument: `process.ppid` would be wrong if the parent died during the start.
const workerData: WatchedProcess = { parent, memoryMb, overMemory: OVER_MEMORY };
new Worker(join(__dirname, 'process-watch-thread.js'), { workerData }).unref();
process.on('message', (message: ToParser) => {
  void answer(message).then(tell);
});
process.once('disconnect', () => process.exit(0));
process.on('uncaughtException', (error) => tell({ type: 'stray', reason: classOf(error) }));
tell({ type: 'ready' });
