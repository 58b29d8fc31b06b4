import { parse } from 'csv-parse/sync';
import { ExtractionError } from '../document/extraction.errors';
import type { Content, Source } from './format-reader.types';
import { figuresOf, isHead, rowsText } from './table-rows';
import { sourceText } from './text';

const DELIMITERS = [',', ';', '\t', '|'] as const;
const SAMPLE_CHARS = 20_000;
const records = (text: string, delimiter: string, more: object = {}): string[][] =>
  parse(text, {
    delimiter,
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
    ...more,
  });

/** The delimiter that gives the most columns, equal in number, in the first lines. */
function delimiterOf(text: string): string {
  const cut = text.slice(0, SAMPLE_CHARS);
  const sample = text.length > SAMPLE_CHARS ? cut.slice(0, cut.lastIndexOf('\n') + 1 || cut.length) : cut;
  const score = (delimiter: string): number => {
    try {
      const rows = records(sample, delimiter, { to: 50, skip_records_with_error: true });
      const width = rows[0]?.length ?? 0;
      return width < 2 ? 0 : (width * rows.filter((row) => row.length === width).length) / rows.length;
    } catch {
      return 0;
    }
  };
  return [...DELIMITERS].sort((a, b) => score(b) - score(a))[0] ?? ',';
}

/** The first row names the columns unless it holds figures of a row, blanks, the same name twice, or no word at all. */
function withHeader(rows: readonly string[][]): { header: readonly string[]; body: readonly string[][] } {
  const [first = [], ...rest] = rows;
  const isWhole = !first.includes('') && new Set(first).size === first.length;
  if (isWhole && isHead(first, rest[0]) && figuresOf(first).length < first.length) return { header: first, body: rest };
  const width = Math.max(...rows.slice(0, 1_000).map((row) => row.length));
  return { header: Array.from({ length: width }, (_, index) => `column ${index + 1}`), body: rows };
}

function parsed(text: string): string[][] {
  try {
    return records(text, delimiterOf(text));
  } catch (error) {
    throw new ExtractionError(
      'document.malformed',
      'The rows are not valid CSV: a quote is not closed, or is inside a value',
      {
        cause: error,
      },
    );
  }
}

export function readCsv(source: Source): Content {
  const { text, warnings } = sourceText(source);
  const rows = parsed(text).filter((row) => row.some((value) => value !== ''));
  if (rows.length === 0) throw new ExtractionError('document.empty', 'The file holds no values');
  const { header, body } = withHeader(rows);
  return { text: rowsText(header, body), title: null, pages: [], warnings };
}
