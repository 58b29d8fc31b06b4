import { SourceError } from './source.errors';

/** Extensions of documents by media type. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/markdown': 'md',
  'text/csv': 'csv',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/epub+zip': 'epub',
  'application/x-ipynb+json': 'ipynb',
  'text/vtt': 'vtt',
  'application/x-subrip': 'srt',
};
/** Media types that say little: the extension of the address decides. */
const VAGUE: readonly string[] = ['', 'text/plain', 'application/octet-stream', 'binary/octet-stream'];
const BY_ADDRESS: readonly string[] = [
  'md',
  'csv',
  'json',
  'pdf',
  'docx',
  'pptx',
  'xlsx',
  'epub',
  'ipynb',
  'vtt',
  'srt',
  'txt',
];
const TEXTS: readonly string[] = ['html', 'md', 'csv', 'json', 'ipynb', 'vtt', 'srt', 'txt'];

export const isCaptionsFile = (extension: string): boolean => extension === 'vtt' || extension === 'srt';

export const extensionOf = ({ pathname }: URL): string => /\.([a-z]{2,5})$/i.exec(pathname)?.[1]?.toLowerCase() ?? '';

/** The extension that names the format of a body. @throws {SourceError} `source.content_type` */
export function formatOf(contentType: string, url: URL): string {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const known = Object.hasOwn(EXTENSIONS, type) ? EXTENSIONS[type] : undefined;
  if (known !== undefined) return known;
  const named = extensionOf(url);
  if (VAGUE.includes(type) && BY_ADDRESS.includes(named)) return named;
  if (type === 'text/plain') return 'txt';
  const what = /^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,60}$/.test(type) ? type : 'data of an unknown type';
  throw new SourceError('source.content_type', `The address gives ${what}, which cannot be read as a document`);
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Texts in the character set of the header, as UTF-8. A byte order mark overrides what the text says of itself. */
export function asUtf8(bytes: Buffer, contentType: string, extension: string): Buffer {
  const charset = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  if (!TEXTS.includes(extension) || charset === 'utf-8' || charset === 'utf8') return bytes;
  try {
    const text = new TextDecoder(charset).decode(bytes);
    return Buffer.concat([BYTE_ORDER_MARK, Buffer.from(text, 'utf8')]);
  } catch {
    // Unknown to this service: the reader of the format decides by the bytes.
    return bytes;
  }
}
