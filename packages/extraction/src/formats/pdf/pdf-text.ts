import type { PageStart } from '../../document/extraction.types';
import { cellText, pipeTable } from '../table-rows';
import { withoutContents } from './pdf-document';
import { type HeadingDepth, type PdfLine, headingDepth } from './pdf-lines';
import { withTableRows } from './pdf-table-rows';
import type { OutlineEntry } from './pdf.types';

interface Block {
  readonly kind: 'heading' | 'code' | 'table' | 'text';
  readonly depth: number;
  readonly page: number;
  readonly lines: PdfLine[];
}

const LEAST_TABLE_ROWS = 2;
const SENTENCE_END = /[.!?:;…]["'»”’)\]]*$/;
const LIST_ITEM = /^\s*(?:[•●▪◦‣–—*-]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+/;

const cellsOf = ({ text, row }: PdfLine): readonly string[] => row ?? text.split('\t').map((cell) => cell.trim());
const isRow = (line: PdfLine): boolean =>
  line.row !== undefined || (!line.mono && cellsOf(line).filter((cell) => cell !== '').length > 1);

function kindOf(line: PdfLine, depth: number | null): Block['kind'] {
  if (depth !== null) return 'heading';
  if (line.mono) return 'code';
  return isRow(line) ? 'table' : 'text';
}

/** A short line that closes a sentence ends the paragraph, also without a gap. */
const endsParagraph = (before: PdfLine, widest: number): boolean =>
  closesSentence(before) && before.right < widest - 4 * before.size;

const closesSentence = ({ text }: PdfLine): boolean => SENTENCE_END.test(text.trimEnd());
const isSameSize = (a: PdfLine, b: PdfLine): boolean => Math.abs(a.size - b.size) <= 0.08 * Math.max(a.size, b.size);

function continuesText({ lines }: Block, before: PdfLine, line: PdfLine): boolean {
  if (LIST_ITEM.test(line.text) || !isSameSize(before, line)) return false;
  // A paragraph continues on the next page or column only inside a sentence.
  if (before.page !== line.page) return !closesSentence(before) && /^\s*\p{Ll}/u.test(line.text);
  if (line.gap && (line.y < before.y || closesSentence(before))) return false;
  return !endsParagraph(before, Math.max(...lines.slice(-20).map(({ right }) => right)));
}

function joins(block: Block, line: PdfLine, kind: Block['kind'], depth: number | null): boolean {
  const before = block.lines.at(-1);
  if (before === undefined || block.kind !== kind) return false;
  if (kind === 'text') return continuesText(block, before, line);
  if (before.page !== line.page) return false;
  if (kind !== 'heading') return true;
  return !line.gap && block.depth === depth && block.lines.length < 3 && isSameSize(before, line);
}

function blocksOf(lines: readonly PdfLine[], depthOf: HeadingDepth): Block[] {
  const blocks: Block[] = [];
  for (const line of lines) {
    const depth = line.row === undefined ? depthOf(line) : null;
    const kind = kindOf(line, depth);
    const open = blocks.at(-1);
    if (open !== undefined && joins(open, line, kind, depth)) open.lines.push(line);
    else blocks.push({ kind, depth: depth ?? 0, page: line.page, lines: [line] });
  }
  return blocks;
}

/** Words with a hyphen that is not at the end of a line. */
function hyphenated(lines: readonly PdfLine[]): Set<string> {
  const words = new Set<string>();
  for (const { text } of lines)
    for (const [word] of text.matchAll(/(?<!\p{L})\p{L}+-\p{L}+/gu)) words.add(word.toLowerCase());
  return words;
}

const LAST_HALF = /(?<!\p{L})(\p{L}+)[-\u00ad]$/u;
const FIRST_HALF = /^\s*(\p{Ll}\p{L}*)/u;

/** Old TeX fonts draw accents as separate characters before the letter. Combining marks by these characters. */
const DRAWN_ACCENTS: Readonly<Record<string, string>> = {
  '\u00b4': '\u0301',
  '\u02cb': '\u0300',
  '\u00a8': '\u0308',
  '\u02c6': '\u0302',
  '\u02dc': '\u0303',
  '\u00b8': '\u0327',
};

const withAccents = (text: string): string =>
  text
    .replace(/([\u00b4\u02cb\u00a8\u02c6\u02dc\u00b8]) ?([A-Za-z\u0131])/g, (_, accent: string, letter: string) =>
      ((letter === '\u0131' ? 'i' : letter) + (DRAWN_ACCENTS[accent] ?? '')).normalize('NFC'),
    )
    .replace(/c\u00b8/g, 'ç');

/** Chinese and Japanese are written without spaces. */
const isUnspaced = (before: string, after: string): boolean => UNSPACED_END.test(before) && UNSPACED_START.test(after);
const UNSPACED_END = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff65]$/u;
const UNSPACED_START = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff65]/u;

/** Joins the lines of a paragraph and removes hyphenation. Words with a hyphen elsewhere keep it. */
function joined(lines: readonly PdfLine[], compounds: ReadonlySet<string>): string {
  let text = '';
  for (const line of lines) {
    const next = line.text.replaceAll('\t', ' ').trim();
    const left = LAST_HALF.exec(text)?.[1];
    const right = FIRST_HALF.exec(next)?.[1];
    if (left === undefined || right === undefined) text += text === '' || isUnspaced(text, next) ? next : ` ${next}`;
    else if (compounds.has(`${left}-${right}`.toLowerCase())) text += next;
    else text = text.slice(0, -1) + next;
  }
  return withAccents(text.replace(/ {2,}/g, ' ').replaceAll('\u00ad', ''));
}

/** Indentation by position, as all characters of code have one width. */
function listing(lines: readonly PdfLine[]): string {
  const left = Math.min(...lines.map(({ x }) => x));
  return lines
    .flatMap((line, index) => {
      const width = (line.right - line.x) / Math.max(1, line.text.length);
      const indent = ' '.repeat(Math.max(0, Math.round((line.x - left) / Math.max(1, width))));
      const text = indent + line.text.replaceAll('\t', '    ').trimEnd();
      return line.gap && index > 0 ? ['', text] : [text];
    })
    .join('\n');
}

function tableOf(lines: readonly PdfLine[]): string | null {
  const rows = lines.map(cellsOf);
  const width = rows[0]?.length ?? 0;
  return rows.length >= LEAST_TABLE_ROWS && rows.every((row) => row.length === width)
    ? pipeTable(rows.map((row) => row.map(cellText)))
    : null;
}

/** Escapes text that looks like Markdown structure. */
const plain = (text: string): string => text.replace(/^(#{1,6}\s|\||```|~~~|\$\$$)/, '\\$1');

function render({ kind, depth, lines }: Block, compounds: ReadonlySet<string>): string {
  switch (kind) {
    case 'heading':
      return `${'#'.repeat(depth)} ${joined(lines, compounds)}`;
    case 'code':
      return `\`\`\`\n${listing(lines)}\n\`\`\``;
    case 'table':
      return (
        tableOf(lines) ?? lines.map(({ text }) => plain(text.replace(/(?<!\s)[^\S\t]*\t\s*/g, '  ').trim())).join('\n')
      );
    case 'text':
      return plain(joined(lines, compounds));
  }
}

/** Joins pages to one Markdown-like text, with the offset of each page. */
export function composePdf(
  pages: readonly (readonly PdfLine[])[],
  outline: readonly OutlineEntry[],
): { text: string; pages: PageStart[] } {
  const lines = pages.flatMap((page) => withTableRows(withoutContents(page)));
  const compounds = hyphenated(lines);
  const parts: string[] = [];
  const starts: PageStart[] = [];
  let length = 0;
  for (const block of blocksOf(lines, headingDepth(lines, outline))) {
    const part = `${render(block, compounds)}\n\n`;
    for (const page of new Set([block.page, ...block.lines.map((line) => line.page)])) {
      // The page break inside a paragraph is estimated from its lines.
      const before = block.lines.filter((line) => line.page < page).length / block.lines.length;
      if ((starts.at(-1)?.page ?? 0) < page) starts.push({ page, start: length + Math.floor(before * part.length) });
    }
    parts.push(part);
    length += part.length;
  }
  return { text: parts.join('').trimEnd(), pages: starts };
}
