import { cellText, pipeTable } from './html-tables';

/** Long tables are split and repeat their header, so that each passage has the column names. */
const TABLE_CHARS = 600;
/** Longer rows become records with one value per line. */
const LONG_ROW = 300;
const SAMPLE_ROWS = 200;
/** Longest name in a record: it stands before each value. */
const NAME_CHARS = 200;

export const isNumber = (value: string): boolean => /^[-+]?[.,\s]*\d[\d.,\s%€$]*$/.test(value);

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
    tables.push(pipeTable([head, ...rows]));
    rows = [];
    length = 0;
  }
  if (rows.length > 0 || tables.length === 0) tables.push(pipeTable([head, ...rows]));
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
