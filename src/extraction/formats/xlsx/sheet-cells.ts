import { ExtractionError } from '../../document/extraction.errors';
import { scanXml } from '../office/office-xml';
import { displayedNumber } from './number-format';
import { CELL_CHARS, type Workbook } from './workbook';

/** Limits of Excel. */
const MOST_COLUMNS = 16_384;
const MOST_ROWS = 1_048_576;
const MOST_MERGES = 10_000;
const MOST_HIDDEN_RANGES = 1_000;

export interface SheetRow {
  /** From 1. */
  readonly number: number;
  /** Texts of the cells that are not empty, by column from 1, in order. */
  readonly cells: Map<number, string>;
}

/** Cells shown as one; columns and rows from 1, the last ones included. */
export interface Merge {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

export interface SheetCells {
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
