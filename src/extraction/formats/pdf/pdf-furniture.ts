import type { PdfLine } from './pdf-lines';

/** Running heads and page numbers stand within this share of the page's height at its top and bottom. */
const EDGE = 0.12;
/** Lines looked at, from the top and from the bottom of each page. */
const EDGE_LINES = 3;
const LEAST_PAGES = 3;
/** Share of the pages that a running head must be on; left and right pages often have different ones. */
const REPEATED = 0.3;
const PAGE_NUMBER =
  /^(?:(?:page|p\.|pàg\.|pág\.|página|pàgina|seite|orria)\s*)?[-–—|\s]*(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:\/|of|de|von)\s*\d{1,4})?[-–—|\s]*$/i;

/** A running head is never larger than the text; what is, is a title that several pages have in common. */
const MOST_SIZE = 1.05;

function bodySize(lines: readonly PdfLine[]): number {
  const sizes = new Map<number, number>();
  for (const { size, text } of lines) sizes.set(size, (sizes.get(size) ?? 0) + text.length);
  return [...sizes].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [0, 0] as const)[0];
}

const isAtEdge = ({ height }: PdfLine): boolean => height <= EDGE || height >= 1 - EDGE;

/** The same line on another page: numbers may differ, the place may not. */
const shapeOf = ({ text, height }: PdfLine): string =>
  `${height < 0.5 ? 'foot' : 'head'} ${text.trim().replace(/\d+/g, '#').replace(/\s+/g, ' ').toLowerCase()}`;

const edgesOf = (lines: readonly PdfLine[], body: number): PdfLine[] => {
  const sorted = lines.filter((line) => isAtEdge(line) && line.size <= MOST_SIZE * body).sort((a, b) => b.y - a.y);
  return [...new Set([...sorted.slice(0, EDGE_LINES), ...sorted.slice(-EDGE_LINES)])];
};

/** Without running heads, running feet and page numbers. */
export function withoutFurniture(pages: readonly (readonly PdfLine[])[]): PdfLine[][] {
  const counts = new Map<string, number>();
  const body = bodySize(pages.flat());
  const edges = pages.map((lines) => edgesOf(lines, body));
  for (const lines of edges) {
    for (const shape of new Set(lines.map(shapeOf))) counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  const least = Math.max(LEAST_PAGES, REPEATED * pages.length);
  return pages.map((lines, index) => {
    const dropped = new Set(
      edges[index]?.filter(
        (line) => (counts.get(shapeOf(line)) ?? 0) >= least || (pages.length > 1 && PAGE_NUMBER.test(line.text.trim())),
      ),
    );
    return lines.filter((line) => !dropped.has(line));
  });
}
