import { isContentsLine } from '../../chunking/contents-line';
import type { PdfLine } from './pdf-lines';

/** Lines of an entry whose title is longer than one line. */
const MOST_BETWEEN = 2;

const ENDS_IN_NUMBER = /[\t ](?:\d{1,4}|[ivxlc]{1,7})\s*$/;

const isDotted = ({ text }: PdfLine): boolean => isContentsLine(text.replaceAll('\t', ' '));

/** The heading of a table of contents. */
const HEADING =
  /^(?:table of )?contents$|^(?:contenidos?|índice(?: general)?|índex|sumari|continguts|aurkibidea|edukiak?)$/i;

/** Number of lines from `at` on that belong to the entries of a table of contents without dots themselves. */
function undotted(lines: readonly PdfLine[], at: number): number {
  const next = lines.slice(at, at + MOST_BETWEEN + 1).findIndex(isDotted);
  return next === -1 ? 0 : next;
}

/** Removes what stands above the first dotted line: in many books, the entry of a chapter has no dots. */
function dropAbove(kept: PdfLine[]): void {
  if (ENDS_IN_NUMBER.test(kept.at(-1)?.text ?? '')) kept.pop();
  if (HEADING.test(kept.at(-1)?.text.trim() ?? '')) kept.pop();
}

/** Removes the lines of a table of contents: dotted ones, and those between two of them. */
export function withoutContents(lines: readonly PdfLine[]): PdfLine[] {
  const kept: PdfLine[] = [];
  let inside = false;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    if (line === undefined) break;
    if (isDotted(line)) {
      if (!inside) dropAbove(kept);
      inside = true;
      continue;
    }
    const between = inside ? undotted(lines, at) : 0;
    if (between > 0) at += between - 1;
    else {
      inside = false;
      kept.push(line);
    }
  }
  return kept;
}
