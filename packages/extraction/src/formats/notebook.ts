import { ExtractionError } from '../document/extraction.errors';
import type { PageStart } from '../document/extraction.types';
import type { Content, Source } from './format-reader.types';
import { htmlToMarkdown } from './html';
import { listed, shortTitle, sourceText, titleOf } from './text';

const SEPARATOR = '\n\n';
/** Longest outputs of one cell together. */
const OUTPUT_CHARS = 2_000;
/** Colours of terminals. */
// eslint-disable-next-line no-control-regex -- they begin with the control character ESC
const ANSI = /\u001b\[[0-9;]*[A-Za-z]/g;
/** Pictures inside of the text, as long as their file. */
const EMBEDDED = /!\[([^[\]\n]{0,500})\]\((?:data|attachment):[^()\s]*\)/g;

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const member = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), value);

/** Texts are strings or lists of lines. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return listOf(value)
    .filter((line) => typeof line === 'string')
    .join('');
}

function notebookOf(text: string): Json {
  try {
    const notebook: unknown = JSON.parse(text);
    if (isObject(notebook) && (Array.isArray(notebook['cells']) || Array.isArray(notebook['worksheets'])))
      return notebook;
  } catch (error) {
    throw new ExtractionError('document.malformed', 'The notebook is not valid JSON', { cause: error });
  }
  throw new ExtractionError('document.malformed', 'The file is no notebook: it has no cells');
}

/** Version 3 of the format keeps the cells in worksheets. */
const cellsOf = (notebook: Json): readonly unknown[] =>
  Array.isArray(notebook['cells'])
    ? notebook['cells']
    : listOf(notebook['worksheets']).flatMap((sheet) => [...listOf(member(sheet, 'cells'))]);

function fenced(text: string, language: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Word of Python for a value that is shown in another form: `<IPython.core.display.HTML object>`, `<Figure size 640x480>`. */
const NO_WORDS = /^\s*<[A-Z][^<>\n]*>\s*$/;

/** Value of an output, in the richest form that is text. */
function valueText(data: unknown): string {
  const plain = textOf(member(data, 'text/plain'));
  if (plain !== '' && !NO_WORDS.test(plain)) return plain;
  const markup = textOf(member(data, 'text/markdown')) || textOf(member(data, 'text/latex'));
  return markup || htmlToMarkdown(textOf(member(data, 'text/html'))).text || plain;
}

/** The text of an output: printed, the value, or the sentence of an error. Pictures are left out. */
function outputText(output: unknown): string {
  if (member(output, 'output_type') === 'stream') return textOf(member(output, 'text'));
  const error = [member(output, 'ename'), member(output, 'evalue')].filter((part) => typeof part === 'string');
  if (error.length > 0) return error.join(': ');
  return textOf(member(output, 'text')) || valueText(member(output, 'data'));
}

/** Outputs of a cell, cut to `OUTPUT_CHARS`. */
function outputsOf(cell: Json): { readonly text: string; readonly isCut: boolean } {
  let text = '';
  for (const output of listOf(cell['outputs'])) {
    const next = outputText(output).replace(ANSI, '').trim();
    if (next !== '') text += `${text === '' ? '' : '\n'}${next}`;
    if (text.length > OUTPUT_CHARS) return { text: `${text.slice(0, OUTPUT_CHARS)} …`, isCut: true };
  }
  return { text, isCut: false };
}

function cellText(cell: Json, language: string, output: string): string {
  const source = textOf(cell['source'] ?? cell['input']).trim();
  switch (cell['cell_type']) {
    case 'markdown':
      return source.replace(EMBEDDED, '$1').trim();
    case 'heading':
      return source === '' ? '' : `${'#'.repeat(Math.min(6, Math.max(1, Number(cell['level']) || 1)))} ${source}`;
    case 'code': {
      const parts = [
        source === '' ? '' : fenced(source, language),
        output === '' ? '' : `Output:\n\n${fenced(output, '')}`,
      ];
      return parts.filter((part) => part !== '').join(SEPARATOR);
    }
    default:
      return '';
  }
}

function languageOf(notebook: Json): string {
  const name =
    member(notebook, 'metadata', 'language_info', 'name') ?? member(notebook, 'metadata', 'kernelspec', 'language');
  return typeof name === 'string' && /^[\w+#-]{1,20}$/.test(name) ? name : '';
}

/** A Jupyter notebook (nbformat 3 and 4): its Markdown and code with the outputs that are text. Cells count from 1. */
export function readNotebook(source: Source): Content {
  const { text: json, warnings } = sourceText(source);
  const notebook = notebookOf(json);
  const language = languageOf(notebook);
  const cells = cellsOf(notebook);
  const pages: PageStart[] = [];
  const parts: string[] = [];
  const cut: number[] = [];
  let start = 0;
  for (const [index, cell] of cells.entries()) {
    if (!isObject(cell)) continue;
    const output = outputsOf(cell);
    if (output.isCut) cut.push(index + 1);
    const text = cellText(cell, language, output.text);
    if (text === '') continue;
    pages.push({ page: index + 1, start });
    parts.push(text);
    start += text.length + SEPARATOR.length;
  }
  if (parts.length === 0) throw new ExtractionError('document.no_text', 'The notebook holds no text');
  const text = parts.join(SEPARATOR);
  const title = member(notebook, 'metadata', 'title');
  return {
    text,
    title: (typeof title === 'string' ? shortTitle(title.trim()) : null) ?? titleOf(text),
    pages,
    pageCount: cells.length,
    warnings:
      cut.length === 0
        ? warnings
        : [...warnings, `Output of cell ${listed(cut)} is cut to ${OUTPUT_CHARS.toLocaleString('en')} characters`],
  };
}
