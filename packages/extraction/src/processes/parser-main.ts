import { Worker, isMainThread, workerData } from 'node:worker_threads';
import { cutText } from '../chunking';
import { ExtractionError } from '../document/extraction.errors';
import type {
  DocumentFormat,
  ExtractedDocument,
  ExtractionInput,
  ExtractionLimits,
} from '../document/extraction.types';
import { readCaptions } from '../formats/captions';
import { readCsv } from '../formats/csv';
import { readEpub } from '../formats/epub';
import type { Content, FormatReader } from '../formats/format-reader.types';
import { readHtml } from '../formats/html';
import { readJson } from '../formats/json';
import { readNotebook } from '../formats/notebook';
import { readDocx } from '../formats/office/docx';
import { readPptx } from '../formats/office/pptx';
import { readPdf } from '../formats/pdf/pdf';
import { readText } from '../formats/text';
import { readXlsx } from '../formats/xlsx/xlsx';
import { detectFormat } from '../detect-format';
import { type FromParser, OVER_MEMORY, type ParserAnswer, type ToParser } from './parser-process';

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
async function parseDocument(
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

const WATCH_EVERY_MS = 50;
const MEBIBYTE = 1024 * 1024;

interface ProcessLimits {
  readonly parent: number;
  readonly memoryMb: number;
}

/** Runs in a thread, because a hostile file may block the main one. Kills the process without its parent or over its memory limit. */
function watch({ parent, memoryMb }: ProcessLimits): void {
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
    if (process.memoryUsage.rss() > memoryMb * MEBIBYTE) process.kill(process.pid, OVER_MEMORY);
  }, WATCH_EVERY_MS);
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

function serve(): void {
  const [memoryMb, parent] = process.argv.slice(2).map(Number) as [number, number];
  // The parent's id is an argument: `process.ppid` would be wrong if the parent died during the start.
  new Worker(__filename, { workerData: { parent, memoryMb } satisfies ProcessLimits }).unref();
  process.on('message', (message: ToParser) => {
    void answer(message).then(tell);
  });
  process.once('disconnect', () => process.exit(0));
  process.on('uncaughtException', (error) => tell({ type: 'stray', reason: classOf(error) }));
  tell({ type: 'ready' });
}

if (isMainThread) serve();
else watch(workerData as ProcessLimits);
