import { ExtractionError } from '../../document/extraction.errors';
import { scanXml } from '../office/office-xml';
import { figuresOf, isHead, isNumber, rowsText } from '../table-rows';
import { displayedNumber } from './number-format';
import { CELL_CHARS, type Workbook } from './workbook';

/** Limits of Excel. */
const MOST_COLUMNS = 16_384;
const MOST_ROWS = 1_048_576;
const MOST_MERGES = 10_000;
const MOST_HIDDEN_RANGES = 1_000;

interface SheetRow {
  /** From 1. */
  readonly number: number;
  /** Texts of the cells that are not empty, by column from 1, in order. */
  readonly cells: Map<number, string>;
}

/** Cells shown as one; columns and rows from 1, the last ones included. */
interface Merge {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

interface SheetCells {
  /** Rows with text, in order. */
  readonly rows: readonly SheetRow[];
  readonly merges: readonly Merge[];
  readonly hasHidden: boolean;
  /** Formulas whose value the file does not hold. */
  readonly uncomputed: number;
}

type Attributes = Readonly<Record<string, string>>;

function columnOf(reference: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/i.exec(reference)?.[0].toUpperCase() ?? '') {
    column = column * 26 + letter.charCodeAt(0) - 64;
  }
  return column > MOST_COLUMNS ? 0 : column;
}

function mergeOf(reference: string): Merge | null {
  const match = /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/i.exec(reference);
  if (match === null) return null;
  const [, first = '', top, last = '', bottom] = match;
  return { top: Number(top), bottom: Number(bottom), left: columnOf(first), right: columnOf(last) };
}

interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  readonly text: string[];
  hasFormula: boolean;
}

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';

/** Collects the texts of one sheet while it is scanned: a tree of a large sheet would fill the memory. */
class SheetScan {
  readonly rows: SheetRow[] = [];
  readonly merges: Merge[] = [];
  hasHidden = false;
  uncomputed = 0;
  private readonly hidden: [from: number, to: number][] = [];
  private row: SheetRow | null = null;
  private lastRow = 0;
  private lastColumn = 0;
  private cell: OpenCell | null = null;
  private inText = false;
  private characters = 0;

  constructor(
    private readonly workbook: Workbook,
    private readonly maxCharacters: number,
  ) {}

  open(name: string, attributes: Attributes): void {
    switch (name) {
      case 'col':
        return this.hideColumns(attributes);
      case 'row':
        return this.openRow(attributes);
      case 'c':
        return this.openCell(attributes);
      case 'f':
        if (this.cell !== null) this.cell.hasFormula = true;
        return;
      case 'v':
      case 't':
        this.inText = this.cell !== null;
        return;
      case 'mergeCell':
        return this.merge(attributes['ref'] ?? '');
    }
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.inText = false;
    else if (name === 'c') this.closeCell();
    else if (name === 'row') this.closeRow();
  }

  text(text: string): void {
    if (this.inText) this.cell?.text.push(text);
  }

  private hideColumns({ hidden, min, max }: Attributes): void {
    if (!isTrue(hidden) || this.hidden.length >= MOST_HIDDEN_RANGES) return;
    this.hidden.push([Number(min), Number(max)]);
  }

  private openRow({ r, hidden }: Attributes): void {
    const number = r === undefined ? this.lastRow + 1 : Number(r);
    this.lastRow = Number.isInteger(number) && number <= MOST_ROWS ? number : this.lastRow + 1;
    this.lastColumn = 0;
    if (isTrue(hidden)) this.hasHidden = true;
    this.row = isTrue(hidden) ? null : { number: this.lastRow, cells: new Map() };
  }

  private openCell({ r = '', t: type = 'n', s: style = '' }: Attributes): void {
    const column = columnOf(r) || this.lastColumn + 1;
    this.lastColumn = column;
    this.cell = { column, type, style: Number(style), text: [], hasFormula: false };
  }

  private closeCell(): void {
    const { cell, row } = this;
    this.cell = null;
    if (cell === null || row === null) return;
    const text = this.displayed(cell).trim();
    if (text === '') {
      if (cell.hasFormula && cell.text.length === 0) this.uncomputed += 1;
      return;
    }
    if (this.hidden.some(([from, to]) => from <= cell.column && cell.column <= to)) {
      this.hasHidden = true;
      return;
    }
    this.characters += text.length;
    if (this.characters > this.maxCharacters) {
      const detail = `The document holds more than ${this.maxCharacters} characters of text`;
      throw new ExtractionError('document.too_large', detail);
    }
    row.cells.set(cell.column, text);
  }

  private closeRow(): void {
    if (this.row !== null && this.row.cells.size > 0) this.rows.push(this.row);
    this.row = null;
  }

  private displayed({ type, style, text }: OpenCell): string {
    const raw = text.join('').slice(0, CELL_CHARS);
    const { strings, formats, calendar } = this.workbook;
    if (type === 's') return strings[Number(raw)] ?? '';
    if (type === 'b') return raw === '' ? '' : isTrue(raw.trim()) ? 'TRUE' : 'FALSE';
    if (type !== 'n' || raw.trim() === '') return raw;
    const value = Number(raw);
    return Number.isFinite(value) ? displayedNumber(value, formats[style] ?? 'General', calendar) : raw;
  }

  private merge(reference: string): void {
    const merge = this.merges.length < MOST_MERGES ? mergeOf(reference) : null;
    if (merge !== null) this.merges.push(merge);
  }
}

/** @throws {ExtractionError} */
export function sheetCells(xml: string, workbook: Workbook, maxCharacters: number): SheetCells {
  const scan = new SheetScan(workbook, maxCharacters);
  scanXml(xml, {
    open: (name, attributes) => scan.open(name, attributes),
    close: (name) => scan.close(name),
    text: (text) => scan.text(text),
  });
  return scan;
}

/** Rows of column names below one another. */
const MOST_HEADER_ROWS = 3;
/** Cells that are filled: a hostile sheet would grow without end. */
const MOST_FILLED = 100_000;
/** Between the names of a column that stands below a wider one. */
const BELOW = ' – ';

interface Table {
  readonly columns: readonly number[];
  readonly header: readonly string[];
}

const covers = ({ top, bottom, left, right }: Merge, row: number, column: number): boolean =>
  top <= row && row <= bottom && left <= column && column <= right;

/** Repeats the text of cells that are merged over rows. Text merged over columns stays in the first. */
function fillDown(rows: readonly SheetRow[], merges: readonly Merge[]): void {
  const byTop = new Map<number, Merge[]>();
  for (const merge of merges) {
    if (merge.bottom > merge.top) byTop.set(merge.top, [...(byTop.get(merge.top) ?? []), merge]);
  }
  let open: { merge: Merge; text: string }[] = [];
  let left = MOST_FILLED;
  for (const row of rows) {
    open = open.filter(({ merge }) => merge.bottom >= row.number);
    for (const { merge, text } of open) {
      if (left === 0) return;
      if (row.cells.has(merge.left)) continue;
      row.cells.set(merge.left, text);
      left -= 1;
    }
    for (const merge of byTop.get(row.number) ?? []) {
      const text = row.cells.get(merge.left);
      if (text !== undefined) open.push({ merge, text });
    }
  }
}

/** Tables of a sheet: rows with none left out between them. */
function regionsOf(rows: readonly SheetRow[]): SheetRow[][] {
  const regions: SheetRow[][] = [];
  for (const row of rows) {
    const open = regions.at(-1);
    if (open?.at(-1)?.number === row.number - 1) open.push(row);
    else regions.push([row]);
  }
  return regions;
}

const columnsOf = (rows: readonly SheetRow[]): number[] =>
  [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))].sort((a, b) => a - b);

/** Names of each column in the rows of the header, those merged over several columns included. */
function namesOf(rows: readonly SheetRow[], columns: readonly number[], merges: readonly Merge[]): string[] {
  const last = rows.at(-1)?.number ?? 0;
  const wide = merges.filter(({ top, left, right }) => right > left && top <= last);
  return columns.map((column) => {
    const names = rows.map(({ number, cells }) => {
      const merge = wide.find((each) => covers(each, number, column));
      return cells.get(column) ?? (merge === undefined ? '' : (cells.get(merge.left) ?? ''));
    });
    return [...new Set(names.filter((name) => name !== ''))].join(BELOW);
  });
}

const valuesOf = ({ cells }: SheetRow): string[] => [...cells.values()];

/** Rows of column names at the top, above the first figures: a row more for columns that the one above leaves unnamed. */
function headHeight(rows: readonly SheetRow[], merges: readonly Merge[]): number {
  const [first] = rows;
  if (first === undefined || !isHead(valuesOf(first), rows[1] && valuesOf(rows[1]))) return 0;
  const [names, ...others] = columnsOf(rows);
  const isGrouped = ({ number, cells }: SheetRow): boolean =>
    merges.some(({ top, left, right }) => top === number && right > left && cells.has(left));
  const completes = (row: SheetRow, above: readonly SheetRow[]): boolean =>
    others.some((column) => row.cells.has(column) && !above.some(({ cells }) => cells.has(column))) &&
    above.every(({ cells }) => [undefined, cells.get(names ?? 0)].includes(row.cells.get(names ?? 0)));
  let height = 1;
  while (height < MOST_HEADER_ROWS) {
    const [above, row] = rows.slice(height - 1, height + 1);
    if (above === undefined || row === undefined || figuresOf(valuesOf(row)).length > 0) break;
    if (!isGrouped(above) && !completes(row, rows.slice(0, height))) break;
    height += 1;
  }
  return height;
}

/** Names are words that differ, above half of the columns at least. */
function areNames(names: readonly string[]): boolean {
  const words = names.filter((name) => name !== '');
  return 2 * words.length >= names.length && new Set(words).size === words.length && !words.every(isNumber);
}

/** Text that stands alone in its row: titles and notes. */
const noteOf = ({ cells }: SheetRow): string =>
  [...cells.values()].join(' | ').replace(/^(#{1,6}\s|\||`{3}|~{3})/gm, '\\$1');

const isSame = (a: readonly number[], b: readonly number[]): boolean => a.join() === b.join();

/** Column names and rows of a region. A region without names has those of the table above with the same columns. */
function tableOf(
  rows: readonly SheetRow[],
  height: number,
  merges: readonly Merge[],
  above: Table | null,
): { readonly table: Table; readonly body: readonly SheetRow[] } {
  const columns = columnsOf(rows);
  const names = namesOf(rows.slice(0, height), columns, merges);
  if (height > 0 && areNames(names)) return { table: { columns, header: names }, body: rows.slice(height) };
  if (above !== null && isSame(above.columns, columns)) return { table: above, body: rows };
  return { table: { columns, header: columns.map((_, index) => `column ${index + 1}`) }, body: rows };
}

/** The cells as text: notes, and tables that repeat their column names. */
export function sheetText({ rows, merges }: SheetCells): string {
  fillDown(rows, merges);
  const parts: string[] = [];
  let above: Table | null = null;
  // Column names with a blank row below them.
  let heads: readonly SheetRow[] = [];
  const note = (notes: readonly SheetRow[]): void => {
    if (notes.length > 0) parts.push(notes.map(noteOf).join('\n\n'));
  };
  const put = (region: readonly SheetRow[], height: number): void => {
    const { table, body } = tableOf(region, height, merges, above);
    above = table;
    const values = body.map(({ cells }) => table.columns.map((column) => cells.get(column) ?? ''));
    parts.push(rowsText(table.header, values));
  };
  const putHeads = (): void => {
    if (heads.length > 1) put(heads, 1);
    else note(heads);
    heads = [];
  };
  for (const region of regionsOf(rows)) {
    const from = region.findIndex(({ cells }) => cells.size > 1);
    const table = from === -1 ? [] : region.slice(from);
    const height = headHeight(table, merges);
    if (height > 0 || from !== 0) putHeads();
    note(from === -1 ? region : region.slice(0, from));
    if (height === table.length) heads = table;
    else put([...heads, ...table], heads.length + height);
    if (height < table.length) heads = [];
  }
  putHeads();
  return parts.join('\n\n');
}
