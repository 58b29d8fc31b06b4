import { ExtractionError } from '../document/extraction.errors';
import { decodeAs } from '../document/text-decoding';
import type { Content, Source } from './format-reader.types';

const GUESSED = 'The file does not say its encoding and is not UTF-8; it was read as Windows-1252';

/** The decoded text, with a warning when the encoding is a guess. */
export function sourceText({ bytes, encoding }: Source): { text: string; warnings: string[] } {
  const text = decodeAs(bytes, encoding ?? 'utf-8');
  if (text.trim() === '') throw new ExtractionError('document.empty', 'The file holds nothing but white space');
  return { text, warnings: encoding === 'windows-1252' ? [GUESSED] : [] };
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const TITLE_MAX = 200;

/** A title is repeated with every passage, so it is cut. Null without characters. */
export const shortTitle = (title: string): string | null => title.slice(0, TITLE_MAX).trim().toWellFormed() || null;

interface Heading {
  readonly depth: number;
  readonly title: string;
}

/** A heading line; null for other lines and empty headings. */
function headingOf(line: string): Heading | null {
  const [, marks = '', words = ''] = HEADING.exec(line.slice(0, 2 * TITLE_MAX)) ?? [];
  const title = shortTitle(words.trim().replace(/[ \t]#+$/, ''));
  return title === null || /^#+$/.test(title) ? null : { depth: marks.length, title };
}

/** Headings of a Markdown text, code skipped. */
function* headingsOf(text: string): Generator<Heading> {
  let fence: string | null = null;
  for (const [line] of text.matchAll(/[^\n]+/g)) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = null;
    } else if (mark !== undefined) {
      fence = mark;
    } else {
      const heading = headingOf(line);
      if (heading !== null) yield heading;
    }
  }
}

export const hasHeading = (text: string): boolean => headingsOf(text).next().done !== true;

/** The first heading of a Markdown text. Null when another one is as high: it names a chapter then, not the document. */
export function titleOf(text: string): string | null {
  let first: Heading | null = null;
  for (const heading of headingsOf(text)) {
    if (first !== null && heading.depth <= first.depth) return null;
    first ??= heading;
  }
  return first?.title ?? null;
}

/** Numbers of pages or cells in ascending order: `3, 5–7` */
export function listed(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const shown = ranges.slice(0, 10).map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
  return shown.join(', ') + (ranges.length > 10 ? ', …' : '');
}

/** Markdown and plain text stay unchanged. Plain text may contain Markdown headings too. */
export function readText(source: Source): Content {
  const { text, warnings } = sourceText(source);
  return { text, title: titleOf(text), pages: [], warnings };
}
