import type { Source } from './run-events';
import { isTameAddress } from './markdown/tame-address';

/** What a source is called. */
export function titleOf(source: Source | undefined): string {
  if (source === undefined) return '';
  return source.title ?? source.document ?? source.path ?? '';
}

/** Its address, where it is a web page or a document of this service. */
export function linkOf({ url, page }: Source): string | null {
  if (url === undefined || !isTameAddress(url)) return null;
  return page === undefined || url.includes('#') ? url : `${url}#page=${page}`;
}

export const pagesOf = ({ page, page_end: end }: Source): string | null =>
  page === undefined ? null : end === undefined || end === page ? `${page}` : `${page}–${end}`;

/** A number behind a bracket at the beginning of a line, as tools write them before a passage that may be cited. */
const NUMBERED = /(?:^|\n)\[(\d{1,3})\] /g;

/** The passages in what tools delivered with numbers (`sources_in_prompt: numbered`), by their number. */
export function passagesIn(texts: readonly string[]): ReadonlyMap<number, string> {
  const passages = new Map<number, string>();
  for (const text of texts) {
    const marks = [...text.matchAll(NUMBERED)];
    marks.forEach((mark, index) => {
      const passage = text.slice(mark.index + mark[0].length, marks[index + 1]?.index).trim();
      const n = Number(mark[1]);
      if (passage !== '' && !passages.has(n)) passages.set(n, passage);
    });
  }
  return passages;
}
