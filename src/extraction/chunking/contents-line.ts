/** Dots that lead to a page number, at the end of a line: `Joins . . . . . 41`. */
const LEADERS = /(?:(?:[.·…‥] ?){4}|…{2} ?)(?:\d{1,4}|[ivxlc]{1,7})$/i;
/** Longer lines are prose. */
const LINE_CHARS = 300;
const TAIL_CHARS = 120;

/** The content of a table row, without its outer bars. */
function withoutFrame(row: string): string {
  const start = row.startsWith('|') ? row.slice(1).trimStart() : row;
  return start.endsWith('|') ? start.slice(0, -1).trimEnd() : start;
}

/** Whether a line is an entry of a table of contents with dotted leaders. */
export const isContentsLine = (line: string): boolean => {
  const text = withoutFrame(line.trim());
  return text.length <= LINE_CHARS && LEADERS.test(text.slice(-TAIL_CHARS).replace(/\s+/g, ' '));
};
