import type { PdfLine, Segment } from './pdf-lines';

/** Relative to the font size: most distance between the lines of a cell. */
const LEADING = 1.6;
/** Relative to the font size: how far the lines of a cell may begin from one another. */
const ALIGNED = 0.6;
/** Relative to the font size: most distance between two rows. */
const ROW_GAP = 4;
/** Longer cells are columns of a page. */
const MOST_CELL_LINES = 15;
/** Two columns of fewer rows may be two texts side by side. */
const LEAST_ROWS_OF_TWO = 3;
const LEAST_ROWS = 2;

interface Piece extends Readonly<Segment> {
  readonly line: number;
  readonly y: number;
  readonly size: number;
  /** The first of several in its line: it begins a row. */
  readonly opensRow: boolean;
}

interface Cell {
  readonly x: number;
  right: number;
  readonly top: number;
  bottom: number;
  readonly size: number;
  readonly texts: string[];
  readonly firstLine: number;
  lastLine: number;
}

type Row = Cell[];

function piecesOf({ segments, y, size }: PdfLine, line: number): Piece[] {
  const written = segments.filter(({ text }) => text.trim() !== '');
  return written.map((segment, index) => ({ ...segment, line, y, size, opensRow: index === 0 && written.length > 1 }));
}

const cellOf = ({ x, right, y, size, text, line }: Piece): Cell => ({
  x,
  right,
  top: y,
  bottom: y,
  size,
  texts: [text.trim()],
  firstLine: line,
  lastLine: line,
});

/** Whether a piece is the next line of a cell. */
const continuesCell = (cell: Cell, { x, y, size }: Piece): boolean =>
  Math.abs(x - cell.x) <= ALIGNED * size && y < cell.bottom && cell.bottom - y <= LEADING * Math.max(size, cell.size);

/** Whether a piece begins the next cell of the row: right of it, at the height of one of its lines. */
function continuesRow(row: Row, { x, y, size }: Piece): boolean {
  const last = row.at(-1);
  if (last === undefined) return false;
  const top = Math.max(...row.map((cell) => cell.top));
  const bottom = Math.min(...row.map((cell) => cell.bottom));
  return x >= last.right && y <= top + 0.7 * size && y >= bottom - 0.3 * size;
}

/** Rows in drawing order, which is cell by cell in most programs. */
function rowsOf(pieces: readonly Piece[]): Row[] {
  const rows: Row[] = [];
  for (const piece of pieces) {
    const row = rows.at(-1);
    const cell = row?.at(-1);
    if (row === undefined || cell === undefined) rows.push([cellOf(piece)]);
    else if (!(row.length === 1 && piece.opensRow) && continuesCell(cell, piece)) {
      cell.texts.push(piece.text.trim());
      cell.bottom = piece.y;
      cell.right = Math.max(cell.right, piece.right);
      cell.lastLine = piece.line;
    } else if (continuesRow(row, piece)) row.push(cellOf(piece));
    else rows.push([cellOf(piece)]);
  }
  return rows;
}

const topOf = (row: Row): number => Math.max(...row.map(({ top }) => top));
const bottomOf = (row: Row): number => Math.min(...row.map(({ bottom }) => bottom));
const overlaps = (a: Pick<Cell, 'x' | 'right'>, b: Pick<Cell, 'x' | 'right'>): boolean =>
  a.x < b.right && b.x < a.right;

interface Column {
  x: number;
  right: number;
}

/** Columns by the extent of all cells; null when two cells of a row are in one. */
function columnsOf(rows: readonly Row[]): Column[] | null {
  const columns: Column[] = [];
  for (const { x, right } of rows.flat().sort((a, b) => a.x - b.x)) {
    const last = columns.at(-1);
    if (last !== undefined && x < last.right) last.right = Math.max(last.right, right);
    else columns.push({ x, right });
  }
  const isSplit = (row: Row): boolean => new Set(row.map((cell) => columnAt(columns, cell))).size === row.length;
  return rows.every(isSplit) ? columns : null;
}

const columnAt = (columns: readonly Column[], cell: Cell): number =>
  columns.findIndex((column) => overlaps(column, cell));

/** A single cell below one that is not the first: its row was drawn line by line. */
const isRemainder = (row: Row, above: Row): boolean => {
  const [cell] = row;
  return (
    cell !== undefined &&
    row.length === 1 &&
    above.slice(1).some((each) => Math.abs(each.x - cell.x) <= ALIGNED * cell.size) &&
    bottomOf(above) - cell.top <= LEADING * cell.size
  );
};

const follows = (row: Row, above: Row): boolean => {
  const size = Math.max(...row.map((cell) => cell.size));
  const distance = bottomOf(above) - topOf(row);
  return distance > 0 && distance <= ROW_GAP * size && (row.length > 1 || isRemainder(row, above));
};

/** Ends of the longest run of rows from `first` on that may be a table. */
function runEnd(rows: readonly Row[], first: number): number {
  let end = first + 1;
  while (end < rows.length) {
    const [row, above] = [rows[end], rows[end - 1]];
    if (row === undefined || above === undefined || !follows(row, above)) break;
    end += 1;
  }
  return end;
}

/** Cells by column. A row without a first cell, close below another, holds the next lines of that row's cells. */
function gridOf(rows: readonly Row[], columns: readonly Column[]): string[][] {
  const grid: string[][] = [];
  let above: Row | null = null;
  for (const row of rows) {
    const isNext: boolean =
      above !== null &&
      !row.some((cell) => columnAt(columns, cell) === 0) &&
      bottomOf(above) - topOf(row) <= LEADING * (row[0]?.size ?? 0);
    const last = grid.at(-1);
    const cells = isNext && last !== undefined ? last : columns.map(() => '');
    if (cells !== last) grid.push(cells);
    for (const cell of row) {
      const column = columnAt(columns, cell);
      const text = cell.texts.join(' ');
      cells[column] = cells[column] === '' ? text : `${cells[column] ?? ''} ${text}`;
    }
    above = row;
  }
  return grid;
}

/** Rows of a table with a cell of several lines; null for text side by side, and for tables of single lines. */
function tableOf(rows: readonly Row[]): string[][] | null {
  const columns = columnsOf(rows);
  if (columns === null || columns.length < 2) return null;
  if (rows.some((row) => row.some(({ texts }) => texts.length > MOST_CELL_LINES))) return null;
  const grid = gridOf(rows, columns);
  const hasLines = grid.length < rows.length || rows.some((row) => row.some(({ texts }) => texts.length > 1));
  const least = columns.length === 2 ? LEAST_ROWS_OF_TWO : LEAST_ROWS;
  return hasLines && grid.length >= least ? grid : null;
}

/** First and last line of a run of rows; null when other text is in these lines. */
function linesOf(
  run: readonly Row[],
  lines: readonly PdfLine[],
): { readonly from: number; readonly to: number } | null {
  const cells = run.flat();
  const from = Math.min(...cells.map(({ firstLine }) => firstLine));
  const to = Math.max(...cells.map(({ lastLine }) => lastLine)) + 1;
  const held = cells.reduce((sum, { texts }) => sum + texts.length, 0);
  const written = lines.slice(from, to).reduce((sum, line) => sum + piecesOf(line, 0).length, 0);
  return held === written ? { from, to } : null;
}

/** Replaces the lines of tables that have cells of several lines: one line for each row. Other lines stay as they are. */
export function withTableRows(lines: readonly PdfLine[]): PdfLine[] {
  const rows = rowsOf(lines.flatMap((line, index) => (line.mono ? [] : piecesOf(line, index))));
  const result: PdfLine[] = [];
  let next = 0;
  let first = 0;
  while (first < rows.length) {
    const end = (rows[first]?.length ?? 0) > 1 ? runEnd(rows, first) : first + 1;
    const run = rows.slice(first, end);
    first = end;
    const grid = run.length >= LEAST_ROWS ? tableOf(run) : null;
    const range = grid === null ? null : linesOf(run, lines);
    const line = range === null ? undefined : lines[range.from];
    if (grid === null || range === null || line === undefined) continue;
    result.push(...lines.slice(next, range.from));
    for (const row of grid) result.push({ ...line, text: row.join('\t'), row });
    next = range.to;
  }
  return [...result, ...lines.slice(next)];
}
