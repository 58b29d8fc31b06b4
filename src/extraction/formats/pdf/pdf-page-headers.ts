import { characterCounts, mostFrequent } from './most-frequent';
import type { PdfLine } from './pdf-lines';

/** Share of the page's height, at top and bottom, where headers, footers and page numbers are. */
const EDGE = 0.12;
/** Lines compared at the top and at the bottom of each page. */
const EDGE_LINES = 3;
const LEAST_PAGES = 3;
/** Share of the pages with the same header. Left and right pages often differ. */
const REPEATED = 0.3;
const PAGE_NUMBER =
  /^(?:page|p\.|pàg\.|pág\.|página|pàgina|seite|orria)?[-–—|\s]*(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:\/|of|de|von)\s*\d{1,4})?[-–—|\s]*$/i;

/** Relative to the body text. A larger line is a title that several pages repeat. */
const MOST_SIZE = 1.05;

const isAtEdge = ({ height }: PdfLine): boolean => height <= EDGE || height >= 1 - EDGE;

/** Equal for the same line on other pages, whatever its numbers. */
const shapeOf = ({ text, height }: PdfLine): string =>
  `${height < 0.5 ? 'foot' : 'head'} ${text.trim().replace(/\d+/g, '#').replace(/\s+/g, ' ').toLowerCase()}`;

const edgesOf = (lines: readonly PdfLine[], body: number): PdfLine[] => {
  const sorted = lines.filter((line) => isAtEdge(line) && line.size <= MOST_SIZE * body).sort((a, b) => b.y - a.y);
  return [...new Set([...sorted.slice(0, EDGE_LINES), ...sorted.slice(-EDGE_LINES)])];
};

interface EndLine {
  readonly line: PdfLine;
  /** Number at the end of its text. */
  readonly number: number;
}

const LAST_NUMBER = /(?:^|\s)(\d{1,4})$/;
/** Relative to the font size: least distance of a header from the text. */
const APART = 1.75;

/** The uppermost and the lowest line of a page where they end in a number, and are nothing else or stand apart. */
function numberedEnds(lines: readonly PdfLine[], body: number): EndLine[] {
  const sorted = [...lines].sort((a, b) => b.y - a.y);
  return [sorted, [...sorted].reverse()].flatMap(([line, next]) => {
    const digits = LAST_NUMBER.exec(line?.text.trim() ?? '')?.[1];
    if (line === undefined || digits === undefined || line.size > MOST_SIZE * body) return [];
    const isApart = next !== undefined && Math.abs(line.y - next.y) > APART * Math.max(line.size, next.size);
    return isApart || line.text.trim() === digits ? [{ line, number: Number(digits) }] : [];
  });
}

/**
 * Lines with the number of their page as the document counts its pages, alone or behind the words of a header: also where the
 * header changes with the chapter, and wherever the page was cropped.
 */
function pageNumbers(pages: readonly (readonly PdfLine[])[], body: number): ReadonlySet<PdfLine> {
  const ends = pages.map((lines) => numberedEnds(lines, body));
  const counts = new Map<number, number>();
  for (const [index, found] of ends.entries()) {
    for (const first of new Set(found.map(({ number }) => number - index))) {
      counts.set(first, (counts.get(first) ?? 0) + 1);
    }
  }
  const first = mostFrequent(counts, 0);
  if ((counts.get(first) ?? 0) < Math.max(LEAST_PAGES, REPEATED * pages.length)) return new Set();
  return new Set(
    ends.flatMap((found, index) => found.flatMap(({ line, number }) => (number - index === first ? [line] : []))),
  );
}

/** Removes headers, footers and page numbers. */
export function withoutPageHeaders(pages: readonly (readonly PdfLine[])[]): PdfLine[][] {
  const counts = new Map<string, number>();
  const sizes = characterCounts(pages.flat(), ({ size }) => size);
  const body = mostFrequent(sizes, 0);
  const edges = pages.map((lines) => edgesOf(lines, body));
  for (const lines of edges) {
    for (const shape of new Set(lines.map(shapeOf))) counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  const numbers = pageNumbers(pages, body);
  const least = Math.max(LEAST_PAGES, REPEATED * pages.length);
  return pages.map((lines, index) => {
    const dropped = new Set(
      edges[index]?.filter(
        (line) => (counts.get(shapeOf(line)) ?? 0) >= least || (pages.length > 1 && PAGE_NUMBER.test(line.text.trim())),
      ),
    );
    return lines.filter((line) => !dropped.has(line) && !numbers.has(line));
  });
}
