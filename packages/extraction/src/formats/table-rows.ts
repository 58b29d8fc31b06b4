/** Long tables are split and repeat their header, so that each passage has the column names. */
const TABLE_CHARS = 600;
/** Longer rows become records with one value per line. */
const LONG_ROW = 300;
const SAMPLE_ROWS = 200;
/** Longest name in a record: it stands before each value. */
const NAME_CHARS = 200;

export const isNumber = (value: string): boolean => /^[-+]?[.,\s]*\d[\d.,\s%€$]*$/.test(value);
const DATE = /^\d{1,4}[-/.:]\d/;
const YEAR = /^(?:19|20)\d\d$/;

export const figuresOf = (row: readonly string[]): string[] =>
  row.filter((value) => isNumber(value) || DATE.test(value));

/** Years, days or 1, 2, 3: figures that may name columns. */
function mayName(figures: readonly string[]): boolean {
  if (figures.every((figure) => YEAR.test(figure) || DATE.test(figure))) return figures.length > 0;
  return figures.length > 1 && figures.every((figure, index) => Number(figure) === index + 1);
}

/** Whether a row names the columns: words, or figures that name columns and do not go on in the next row. */
export function isHead(row: readonly string[], next: readonly string[] | undefined): boolean {
  const figures = figuresOf(row);
  return figures.length === 0 || (mayName(figures) && next !== undefined && !mayName(figuresOf(next)));
}

const CODE_OR_FORMULA = /(`[^`]*`|\$[^$]*\$)/;

/** One line with escaped pipes, except in formulas and code. */
export function cellText(content: string): string {
  const line = content.trim().replace(/(?<!\s)[^\S\n]*\n\s*/g, '<br>');
  if (!line.includes('|')) return line;
  return line
    .split(CODE_OR_FORMULA)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/\\?\|/g, '\\|')))
    .join('');
}

/**
 * Pipe table (GFM §4.10) of lines. The first row is the header when `isNamed` or when its texts can name columns; else the
 * header is empty, so that a row of figures never stands above others as their names.
 */
export function pipeTable(rows: readonly (readonly string[])[], isNamed = isHead(rows[0] ?? [], rows[1])): string {
  const width = Math.max(...rows.map((row) => row.length));
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, index) => cells[index] ?? '').join(' | ')} |`;
  const [header = [], ...body] = isNamed ? rows : [[], ...rows];
  return [line(header), line(Array<string>(width).fill('---')), ...body.map(line)].join('\n');
}

const nameOf = (header: readonly string[], index: number): string =>
  header[index]?.slice(0, NAME_CHARS) || `column ${index + 1}`;

/** One value per line, a blank line after each record. */
const asRecord = (header: readonly string[], row: readonly string[]): string =>
  row.flatMap((value, index) => (value === '' ? [] : [`${nameOf(header, index)}: ${value}`])).join('\n');

/** Small tables, each with the header. */
function asTables(header: readonly string[], body: readonly (readonly string[])[]): string[] {
  const head = header.map(cellText);
  const tables: string[] = [];
  let rows: string[][] = [];
  let length = 0;
  for (const row of body) {
    const cells = row.map(cellText);
    rows.push(cells);
    length += lengthOf(cells);
    if (length < TABLE_CHARS) continue;
    tables.push(pipeTable([head, ...rows], true));
    rows = [];
    length = 0;
  }
  if (rows.length > 0 || tables.length === 0) tables.push(pipeTable([head, ...rows], true));
  return tables;
}

const lengthOf = (row: readonly string[]): number => row.reduce((sum, value) => sum + value.length + 3, 0);

/** Small tables that each repeat the column names, or a record of lines for each long row. */
export function rowsText(header: readonly string[], body: readonly (readonly string[])[]): string {
  const sample = body.slice(0, SAMPLE_ROWS);
  const typical = sample.reduce((sum, row) => sum + lengthOf(row), 0) / Math.max(1, sample.length);
  const isWide = typical > LONG_ROW || lengthOf(header) > LONG_ROW;
  const parts = isWide ? body.map((row) => asRecord(header, row)) : asTables(header, body);
  return parts.join('\n\n');
}
