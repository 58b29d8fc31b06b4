import { fileTypeFromBuffer } from 'file-type/core';
import { extensionOf, formatOf } from './document/document-format';
import { ExtractionError } from './document/extraction.errors';
import type { DetectedFormat, DocumentFormat } from './document/extraction.types';
import { decodeAs, detectEncoding, type TextEncoding } from './document/text-decoding';
import { listZip } from './document/zip-listing';

const CONTENT_TYPES: Readonly<Record<DocumentFormat, string>> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  epub: 'application/epub+zip',
  notebook: 'application/x-ipynb+json',
  html: 'text/html',
  markdown: 'text/markdown',
  text: 'text/plain',
  csv: 'text/csv',
  json: 'application/json',
  vtt: 'text/vtt',
  srt: 'application/x-subrip',
};

export const READABLE_EXTENSIONS =
  '.pdf, .docx, .pptx, .xlsx, .epub, .ipynb, .html, .md, .txt, .csv, .json, .vtt or .srt';

const HEAD_BYTES = 4096;
/** ISO 32000-1, appendix H: readers accept a header within the first 1,024 bytes. */
const PDF_HEADER_WITHIN = 1024;
const RTF = '{\\rtf';
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
/** Stream of an Office document under a password ([MS-OFFCRYPTO] §2.3.4). */
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');

type ArchiveKind = 'docx' | 'pptx' | 'xlsx' | 'epub';

/** Format by content. `what` completes "The content is …". */
interface Content {
  readonly kind: ArchiveKind | 'pdf' | 'html' | 'json' | 'text' | 'encrypted' | 'damaged' | 'crowded' | 'unreadable';
  readonly what: string;
  readonly encoding?: TextEncoding;
  readonly head?: string;
}

const PDF: Content = { kind: 'pdf', what: 'a PDF' };

/** Archives that are read, by a file that all have and one of their own. */
const READ: readonly (readonly [file: string, own: string, kind: ArchiveKind, what: string])[] = [
  ['[Content_Types].xml', 'word/', 'docx', 'a Word document'],
  ['[Content_Types].xml', 'ppt/', 'pptx', 'a PowerPoint presentation'],
  ['[Content_Types].xml', 'xl/', 'xlsx', 'an Excel workbook'],
  ['META-INF/container.xml', '', 'epub', 'an e-book'],
];
const UNREAD: readonly (readonly [folder: string, what: string])[] = [
  ['xl/', 'an Excel workbook'],
  ['content.xml', 'an OpenDocument file'],
  ['OEBPS/', 'an e-book'],
];

async function archiveContent(bytes: Buffer): Promise<Content> {
  const listing = await listZip(bytes);
  if (!listing.ok) {
    if (listing.reason === 'crowded') return { kind: 'crowded', what: 'an archive of very many files' };
    return { kind: 'damaged', what: 'a damaged archive or office document' };
  }
  const names = listing.entries.map(({ fileName }) => fileName);
  const has = (folder: string): boolean => names.some((name) => name.startsWith(folder));
  const read = READ.find(([file, own]) => names.includes(file) && has(own));
  if (read !== undefined) return { kind: read[2], what: read[3] };
  const unread = UNREAD.find(([folder]) => has(folder));
  return { kind: 'unreadable', what: unread?.[1] ?? 'a ZIP archive' };
}

const HTML_START = /^(?:\s|<\?xml[^>]*>|<!--(?:[^-]|-(?!->))*-->)*<(?:!doctype\s+html|html[\s>]|head[\s>]|body[\s>])/i;
const JSON_START = /^\s*(?:[{[]|"|-?\d|true\b|false\b|null\b)/;
const RECORDS_START = /^\s*(?:\[\s*)?\{\s*"/;

const headOf = (bytes: Buffer, encoding: TextEncoding): string => {
  const head = bytes.subarray(0, HEAD_BYTES);
  if (encoding === 'windows-1252') return decodeAs(head, encoding);
  // Not strict: the last character may be incomplete.
  return new TextDecoder(encoding).decode(head);
};

function textContent(bytes: Buffer, encoding: TextEncoding): Content {
  const head = headOf(bytes, encoding);
  if (head.startsWith(RTF)) return { kind: 'unreadable', what: 'an RTF document' };
  if (HTML_START.test(head)) return { kind: 'html', what: 'an HTML page', encoding, head };
  if (RECORDS_START.test(head)) return { kind: 'json', what: 'JSON', encoding, head };
  return { kind: 'text', what: 'plain text', encoding, head };
}

async function unknownContent(bytes: Buffer): Promise<Content> {
  const type = await fileTypeFromBuffer(new Uint8Array(bytes.subarray(0, HEAD_BYTES))).catch(() => undefined);
  return { kind: 'unreadable', what: type === undefined ? 'binary data or text in an unknown encoding' : type.mime };
}

async function contentOf(bytes: Buffer): Promise<Content> {
  if (bytes.subarray(0, 5).toString('latin1') === '%PDF-') return PDF;
  if (bytes.subarray(0, 4).equals(Buffer.from('PK\x03\x04'))) return archiveContent(bytes);
  if (bytes.subarray(0, 8).equals(COMPOUND_FILE)) {
    return bytes.includes(ENCRYPTED_PACKAGE)
      ? { kind: 'encrypted', what: 'an office document under a password' }
      : { kind: 'unreadable', what: 'an old Office document (.doc, .xls, .ppt)' };
  }
  const encoding = detectEncoding(bytes);
  if (encoding !== null) return textContent(bytes, encoding);
  if (bytes.subarray(0, PDF_HEADER_WITHIN).includes('%PDF-')) return PDF;
  return unknownContent(bytes);
}

/** Contents that each format accepts. Text formats look alike. */
const AGREES: Readonly<Record<DocumentFormat, (content: Content) => boolean>> = {
  pdf: ({ kind }) => kind === 'pdf',
  docx: ({ kind }) => kind === 'docx',
  pptx: ({ kind }) => kind === 'pptx',
  xlsx: ({ kind }) => kind === 'xlsx',
  epub: ({ kind }) => kind === 'epub',
  notebook: ({ kind, head = '' }) => kind === 'json' || (kind === 'text' && JSON_START.test(head)),
  html: ({ kind, head = '' }) => kind === 'html' || (kind === 'text' && /<[a-z!][^<>]*>/i.test(head)),
  markdown: ({ kind }) => kind === 'text' || kind === 'json',
  text: ({ kind }) => kind === 'text' || kind === 'json',
  csv: ({ kind }) => kind === 'text',
  json: ({ kind, head = '' }) => kind === 'json' || (kind === 'text' && JSON_START.test(head)),
  vtt: ({ kind, head = '' }) => kind === 'text' && /^WEBVTT(?:\s|$)/.test(head),
  srt: ({ kind, head = '' }) => kind === 'text' && head.includes('-->'),
};

/** Formats that are ZIP archives of XML parts. */
const ARCHIVES: Readonly<Partial<Record<DocumentFormat, string>>> = {
  docx: 'Word document',
  pptx: 'presentation',
  xlsx: 'workbook',
  epub: 'e-book',
};

function archiveRefusal(what: string, { kind }: Content): ExtractionError | null {
  if (kind === 'encrypted') {
    return new ExtractionError('document.encrypted', `The ${what} is protected by a password; save it without one`);
  }
  if (kind === 'damaged') {
    return new ExtractionError('document.malformed', `The ${what} is damaged or was cut short; upload it again`);
  }
  return kind === 'crowded' ? new ExtractionError('document.expansion', `The ${what} holds too many parts`) : null;
}

function refusal(extension: string, format: DocumentFormat, content: Content): ExtractionError {
  const archive = ARCHIVES[format];
  const refused = archive === undefined ? null : archiveRefusal(archive, content);
  if (refused !== null) return refused;
  const isText = format !== 'pdf' && archive === undefined;
  if (isText && content.what.startsWith('binary data')) {
    return new ExtractionError('document.encoding', `The content is ${content.what}, not text; save the file as UTF-8`);
  }
  return new ExtractionError(
    'document.type_mismatch',
    `The content is ${content.what}, although the name ends in .${extension}`,
  );
}

/**
 * The format of uploaded bytes. The content decides; the extension must match it and chooses among the text formats. Reads the
 * beginning of the file, or the directory of an archive.
 * @throws {ExtractionError} `document.empty`, `document.unsupported`, `document.type_mismatch`, `document.encoding`,
 * `document.encrypted`, `document.malformed`, `document.expansion`
 */
export async function detectFormat(bytes: Buffer, filename: string): Promise<DetectedFormat> {
  if (bytes.length === 0) throw new ExtractionError('document.empty', 'The file is empty');
  const extension = extensionOf(filename);
  const format = formatOf(filename);
  if (format === undefined) {
    const which = extension === '' ? 'Files without an extension' : `Files ending in .${extension.slice(0, 20)}`;
    throw new ExtractionError(
      'document.unsupported',
      `${which} are not read; save it as one of ${READABLE_EXTENSIONS}`,
    );
  }
  const content = await contentOf(bytes);
  if (!AGREES[format](content)) throw refusal(extension, format, content);
  return { format, contentType: CONTENT_TYPES[format], encoding: content.encoding ?? null };
}
