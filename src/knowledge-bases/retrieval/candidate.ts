import type { Hit } from '../search/chunk.types';
import type { SectionChunk, SectionKey } from '../search/passage.repository';
import type { Passage } from './retrieval.types';

/** A hit of a knowledge base, or a passage of the external server. */
export type Candidate = OwnCandidate | ExternalCandidate;

interface Ranked {
  readonly text: string;
  readonly similarity: number;
  /** The reranker's score; absent where it was not asked. */
  readonly relevance?: number;
}

export interface OwnCandidate extends Ranked {
  readonly hit: Hit;
  /** Name of the knowledge base. */
  readonly knowledgeBase: string;
  /** Number of hits that were merged into it. */
  readonly matches: number;
  /** Texts of the chunks that it consists of. */
  readonly chunks: readonly string[];
}

export interface ExternalCandidate extends Ranked {
  readonly passage: Passage;
}

export const ownCandidate = (hit: Hit, knowledgeBase: string): OwnCandidate => ({
  text: hit.text,
  similarity: hit.similarity,
  hit,
  knowledgeBase,
  matches: 1,
  chunks: [hit.text],
});

export const externalCandidate = (passage: Passage): ExternalCandidate => ({
  text: passage.text,
  similarity: passage.similarity,
  passage,
});

export const isOwn = (candidate: Candidate): candidate is OwnCandidate => 'hit' in candidate;

/** Best first; ties in a fixed order. */
export const byRank = (a: Candidate, b: Candidate): number =>
  b.similarity - a.similarity || Number(isOwn(b)) - Number(isOwn(a)) || compare(idOf(a), idOf(b));

/** Padded, because chunk ids are decimal numbers. */
const idOf = (candidate: Candidate): string =>
  isOwn(candidate) ? candidate.hit.chunk_id.padStart(20, '0') : candidate.text;
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

export const sectionKey = ({ hit }: OwnCandidate): SectionKey => ({
  documentId: hit.document_id,
  generation: hit.generation,
  start: hit.section_start,
  end: hit.section_end,
});

/** Merges candidates of one section into the best of them. External passages are sections already. */
export function bySection(candidates: readonly Candidate[]): Candidate[] {
  const sections = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const key = isOwn(candidate) ? Object.values(sectionKey(candidate)).join(' ') : `external ${candidate.text}`;
    const known = sections.get(key);
    if (known === undefined) sections.set(key, candidate);
    else if (isOwn(known)) sections.set(key, { ...known, matches: known.matches + 1 });
  }
  return [...sections.values()];
}

/** The candidate with the text of its whole section; unchanged when the section was deleted meanwhile. */
export function withSection(candidate: OwnCandidate, chunks: readonly SectionChunk[]): OwnCandidate {
  const { start, end } = sectionKey(candidate);
  const pieces = chunks.flatMap((chunk) => clipped(chunk, start, end));
  if (pieces.length === 0) return candidate;
  const pages = chunks.flatMap((chunk) => pagesIn(chunk, start, end));
  const hit = {
    ...candidate.hit,
    start_offset: Math.min(...pieces.map((piece) => piece.start)),
    end_offset: Math.max(...pieces.map((piece) => piece.end)),
    ...pageRange(pages),
    table_header: pieces[0]?.tableHeader ?? null,
  };
  const inside = chunks.filter(
    ({ start_offset: from, end_offset: to }) => 2 * (Math.min(to, end) - Math.max(from, start)) > to - from,
  );
  return { ...candidate, hit, text: joinedText(pieces), chunks: inside.map(({ text }) => text) };
}

/** Adds column names above rows from the middle of a table. The offsets do not include them. */
export function withColumnNames<T extends Candidate>(candidate: T): T {
  if (!isOwn(candidate) || candidate.hit.table_header === null) return candidate;
  return { ...candidate, text: `${candidate.hit.table_header}\n${candidate.text}` };
}

/** First and last page of the part of a chunk inside the section, as far as its pages tell. */
function pagesIn(chunk: SectionChunk, start: number, end: number): Page[] {
  const { page, page_end: lastPage } = chunk;
  if (page === null) return [];
  const first = { number: page, label: chunk.page_label };
  const last = lastPage === null ? first : { number: lastPage, label: chunk.page_end_label };
  return [chunk.start_offset < start ? last : first, chunk.end_offset > end ? first : last];
}

interface Page {
  readonly number: number;
  readonly label: string | null;
}

function pageRange(pages: readonly Page[]): Pick<Hit, 'page' | 'page_end' | 'page_label' | 'page_end_label'> {
  const sorted = [...pages].sort((a, b) => a.number - b.number);
  const [first, last] = [sorted[0], sorted.at(-1)];
  return {
    page: first?.number ?? null,
    page_end: last?.number ?? null,
    page_label: first?.label ?? null,
    page_end_label: last?.label ?? null,
  };
}

/** A slice of a document; offsets are UTF-16 code units. */
export interface Slice {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface Piece extends Slice {
  readonly tableHeader: string | null;
}

/** The part of a chunk inside the section. Chunks of earlier versions may end with the heading of the next section. */
function clipped(chunk: SectionChunk, start: number, end: number): Piece[] {
  const { text, start_offset: from, end_offset: to, table_header: tableHeader } = chunk;
  if (text.length !== to - from) return from >= start && to <= end ? [{ text, start: from, end: to, tableHeader }] : [];
  const piece = {
    tableHeader,
    text: text.slice(Math.max(0, start - from), end - from),
    start: Math.max(from, start),
    end: Math.min(to, end),
  };
  return piece.text.trim() === '' ? [] : [piece];
}

/**
 * Joins slices in document order, without repeating overlaps. White space between slices was not stored: a gap of one
 * character becomes a line break, a longer one a blank line.
 */
export function joinedText(slices: readonly Slice[]): string {
  let text = '';
  let end = -1;
  for (const slice of slices) {
    if (slice.end <= end) continue;
    const isFirst = end === -1;
    const gap = slice.start - end;
    if (!isFirst && gap > 0) text += gap === 1 ? '\n' : '\n\n';
    text += isFirst || gap >= 0 ? slice.text : slice.text.slice(-gap);
    end = slice.end;
  }
  return text;
}
