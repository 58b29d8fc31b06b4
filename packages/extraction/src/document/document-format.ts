import type { LocatorUnit } from '@bellwether/kernel';
import type { DocumentFormat } from './extraction.types';

const EXTENSIONS: Readonly<Record<string, DocumentFormat>> = {
  pdf: 'pdf',
  docx: 'docx',
  pptx: 'pptx',
  xlsx: 'xlsx',
  epub: 'epub',
  ipynb: 'notebook',
  html: 'html',
  htm: 'html',
  md: 'markdown',
  markdown: 'markdown',
  txt: 'text',
  csv: 'csv',
  json: 'json',
  vtt: 'vtt',
  srt: 'srt',
};

/** Formats whose places are not pages. */
const UNITS: Readonly<Partial<Record<DocumentFormat, LocatorUnit>>> = {
  pptx: 'slide',
  xlsx: 'sheet',
  notebook: 'cell',
};

export const extensionOf = (filename: string): string => /\.([^./\\]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';

/** Format by the file extension; undefined for a format that is not read. */
export function formatOf(filename: string): DocumentFormat | undefined {
  const extension = extensionOf(filename);
  return Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined;
}

/** Unit that the `page` of a document's places counts. */
export function locatorUnitOf(filename: string): LocatorUnit {
  const format = formatOf(filename);
  return (format === undefined ? undefined : UNITS[format]) ?? 'page';
}
