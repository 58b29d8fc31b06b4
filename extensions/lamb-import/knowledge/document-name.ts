import { basename, extname } from 'node:path';
import { cleanLabel, LONGEST_LABEL } from '../convert/clean-label';
import type { KbFile } from './kb-tables';

/** Longest extension that says a format. */
const EXTENSION = /^\.[a-z0-9]{1,8}$/i;

const lastPart = (text: string): string => cleanLabel(basename(text.replaceAll('\\', '/')));
const extensionIn = (text: string): string => (EXTENSION.test(extname(text)) ? extname(text) : '');

/** Shortens the part before the extension, which names the format. */
function fitted(stem: string, extension: string): string {
  return stem.slice(0, LONGEST_LABEL - extension.length).toWellFormed() + extension;
}

/**
 * The name of the document. LAMB stores the name that the browser sent, and the file under a generated name with its
 * extension.
 */
export function documentNameOf({ name, path }: KbFile): string {
  const sent = basename(name.replaceAll('\\', '/'));
  const extension = extensionIn(sent) || extensionIn(path);
  const stem = extensionIn(sent) === '' ? sent : sent.slice(0, -extension.length);
  const label = cleanLabel(stem) || lastPart(path).replace(/\.[^.]*$/, '') || 'document';
  return fitted(label, cleanLabel(extension));
}

/** The name of a text that LAMB made of a file. */
export const convertedNameOf = (file: KbFile): string => fitted(documentNameOf(file), '.md');

/** `name (2).md`, and so on. */
export function numbered(name: string, number: number): string {
  if (number === 1) return name;
  const extension = extname(name);
  return fitted(name.slice(0, name.length - extension.length), ` (${number})${extension}`);
}
