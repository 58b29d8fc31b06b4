import { ancestor, attribute, childrenOf, type HtmlNode } from './html-node.types';
import { cellText, pipeTable } from './table-rows';

const MOST_SPAN = 100;
const rowsOf = (table: HtmlNode): HtmlNode[] =>
  childrenOf(table, 'THEAD', 'TBODY', 'TFOOT', 'TR').flatMap((child) =>
    child.nodeName === 'TR' ? [child] : childrenOf(child, 'TR'),
  );

const spanOf = (cell: HtmlNode, name: string): number => {
  const span = Number.parseInt(attribute(cell, name), 10);
  return span > 1 ? Math.min(span, MOST_SPAN) : 1;
};

/** Cells by row and column. A `rowspan` repeats the cell, a `colspan` leaves the other columns empty. */
function gridOf(rows: readonly HtmlNode[], textOf: (cell: HtmlNode) => string): string[][] {
  const grid: string[][] = rows.map(() => []);
  rows.forEach((row, y) => {
    let x = 0;
    for (const cell of childrenOf(row, 'TD', 'TH')) {
      while (grid[y]?.[x] !== undefined) x += 1;
      const width = spanOf(cell, 'colspan');
      for (const line of grid.slice(y, y + spanOf(cell, 'rowspan'))) {
        for (let column = 0; column < width; column += 1) line[x + column] ??= column === 0 ? textOf(cell) : '';
      }
      x += width;
    }
  });
  return grid;
}

/** True when all text is in links: site navigation. */
const holdsLinksOnly = (table: HtmlNode): boolean => Boolean(table.querySelector('a')) && !hasOwnText(table);

const hasOwnText = (node: HtmlNode): boolean => {
  if (node.nodeName === '#text') return /[\p{L}\p{N}]/u.test(node.textContent);
  return node.nodeName !== 'A' && Array.from(node.childNodes).some(hasOwnText);
};

/** Tables of one document. Turndown converts cells before their table. */
export class HtmlTables {
  private readonly texts = new WeakMap<HtmlNode, string>();
  private readonly layout = new WeakMap<HtmlNode, boolean>();

  cell(content: string, cell: HtmlNode): string {
    const table = ancestor(cell, 'TABLE');
    if (table === null || this.isLayout(table)) return `\n\n${content}\n\n`;
    this.texts.set(cell, cellText(content));
    return '';
  }

  table(content: string, table: HtmlNode): string {
    if (holdsLinksOnly(table)) return '';
    if (this.isLayout(table)) return `\n\n${content}\n\n`;
    const rows = rowsOf(table);
    const grid = gridOf(rows, (cell) => this.texts.get(cell) ?? '').filter((row) => row.some((text) => text));
    if (grid.length === 0) return '';
    const isNamed = rows[0] !== undefined && childrenOf(rows[0], 'TD', 'TH').every(({ nodeName }) => nodeName === 'TH');
    return `\n\n${content.trim()}\n\n${pipeTable(grid, isNamed || undefined)}\n\n`;
  }

  /** A layout table has nested tables or a single column. */
  private isLayout(table: HtmlNode): boolean {
    const known = this.layout.get(table);
    if (known !== undefined) return known;
    const rows = rowsOf(table);
    const layout = Boolean(table.querySelector('table')) || rows.every((row) => childrenOf(row, 'TD', 'TH').length < 2);
    this.layout.set(table, layout);
    return layout;
  }
}
