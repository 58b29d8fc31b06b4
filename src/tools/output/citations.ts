import type { Source } from '../../kernel';
import type { Citation } from '../contract';

/** Content with the number of each cited source written in. */
export function writeNumbers(content: string, citations: readonly Citation[], sources: readonly Source[]): string {
  if (citations.length === 0) return content;
  const parts: string[] = [];
  let position = 0;
  for (const { at, source } of citations) {
    parts.push(content.slice(position, at), String(sources[source]?.n ?? ''));
    position = at;
  }
  parts.push(content.slice(position));
  return parts.join('');
}

const MARK = /\[(\d{1,4})\]/g;

/** Turns `[n]` of another run's text into citations, which the calling run numbers anew. `sources` carry their `n`. */
export function citedReply(text: string, sources: readonly Source[]): { text: string; citations: readonly Citation[] } {
  const places = new Map(sources.map(({ n }, place) => [n, place]));
  const citations: Citation[] = [];
  let kept = '';
  let position = 0;
  for (const { 0: mark, 1: digits, index } of text.matchAll(MARK)) {
    const source = places.get(Number(digits));
    if (source === undefined) continue;
    kept += `${text.slice(position, index)}[`;
    citations.push({ at: kept.length, source });
    kept += ']';
    position = index + mark.length;
  }
  return { text: kept + text.slice(position), citations };
}

/** A text without the `[n]` of sources that its reader is not shown. */
export function withoutMarks(text: string, sources: readonly Source[]): string {
  const numbers = new Set(sources.map(({ n }) => n));
  return text.replace(MARK, (mark, digits: string) => (numbers.has(Number(digits)) ? '' : mark));
}
