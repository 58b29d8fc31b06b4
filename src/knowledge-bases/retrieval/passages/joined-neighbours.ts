import type { Hit } from '../../search/chunk.types';
import { type Candidate, isOwn, joinedText, type OwnCandidate } from './candidate';

/** Most characters of a joined passage: about three chunks of the default size. */
export const MOST_JOINED = 6_000;
/** Most characters of white space between two neighbouring chunks. */
const MOST_GAP = 16;

interface Joined {
  /** Up to `most` passages, each at the position of its best chunk. */
  readonly passages: readonly Candidate[];
  /** The candidates after them, unchanged. */
  readonly rest: readonly Candidate[];
}

/**
 * Takes candidates, best first, until there are `most` passages. A chunk next to a passage of the same section becomes part
 * of this passage, unless the passage would be longer than `maxChars`.
 */
export function joinNeighbours(candidates: readonly Candidate[], most: number, maxChars = MOST_JOINED): Joined {
  const passages: Candidate[] = [];
  for (const [place, candidate] of candidates.entries()) {
    const at = passages.findIndex((passage) => isNeighbour(passage, candidate, maxChars));
    const passage = passages[at];
    if (passage !== undefined && isOwn(passage) && isOwn(candidate)) passages[at] = joined(passage, candidate);
    else if (passages.length === most) return { passages, rest: candidates.slice(place) };
    else passages.push(candidate);
  }
  return { passages, rest: [] };
}

function isNeighbour(passage: Candidate, candidate: Candidate, maxChars: number): boolean {
  if (!isOwn(passage) || !isOwn(candidate) || !isSlice(candidate)) return false;
  const [one, other] = [passage.hit, candidate.hit];
  if (one.document_id !== other.document_id || one.generation !== other.generation) return false;
  if (one.section !== other.section || (passage.matches === 1 && !isSlice(passage))) return false;
  const gap = Math.max(one.start_offset, other.start_offset) - Math.min(one.end_offset, other.end_offset);
  const length = Math.max(one.end_offset, other.end_offset) - Math.min(one.start_offset, other.start_offset);
  return gap <= MOST_GAP && length <= maxChars;
}

/** Only in slices of the document can an overlap be found and removed. */
const isSlice = ({ hit, text }: OwnCandidate): boolean => text.length === hit.end_offset - hit.start_offset;

function joined(passage: OwnCandidate, neighbour: OwnCandidate): OwnCandidate {
  const isBehind = neighbour.hit.start_offset > passage.hit.start_offset;
  const [first, last] = isBehind ? [passage, neighbour] : [neighbour, passage];
  return {
    ...passage,
    text: joinedText([sliceOf(first), sliceOf(last)]),
    matches: passage.matches + neighbour.matches,
    chunks: [...first.chunks, ...last.chunks],
    hit: { ...passage.hit, ...rangeOf(first.hit, last.hit) },
  };
}

const sliceOf = ({ text, hit: { start_offset: start, end_offset: end } }: OwnCandidate) => ({ text, start, end });

type Range = 'start_offset' | 'end_offset' | 'page' | 'page_label' | 'page_end' | 'page_end_label' | 'table_header';

const rangeOf = (first: Hit, last: Hit): Pick<Hit, Range> => ({
  start_offset: first.start_offset,
  end_offset: Math.max(first.end_offset, last.end_offset),
  page: first.page,
  page_label: first.page_label,
  page_end: last.page_end ?? last.page,
  page_end_label: last.page_end === null ? last.page_label : last.page_end_label,
  table_header: first.table_header,
});
