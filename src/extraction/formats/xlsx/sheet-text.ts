import { figuresOf, isHead, isNumber, rowsText } from '../table-rows';
import type { Merge, SheetCells, SheetRow } from './sheet-cells';

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
