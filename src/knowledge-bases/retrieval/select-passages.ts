import { LRUCache } from 'lru-cache';
import type { Hit } from '../search/chunk.types';
import type { SectionChunk, SectionKey } from '../search/passage.repository';
import {
  type Candidate,
  type OwnCandidate,
  byRank,
  bySection,
  isOwn,
  joinedText,
  sectionKey,
  withSection,
} from './candidate';
import type { RetrievalQuery } from './retrieval.types';

/** UTF-8 bytes per token: about 4 for English prose, fewer for other languages, formulas and code. Rather overestimates tokens. */
const BYTES_PER_TOKEN = 3.5;
/** Tokens around a passage in a prompt: blank lines, its number. */
const FRAME_TOKENS = 4;

/** Default budget of one tool: twenty chunks of the default size. */
export const DEFAULT_MAX_TOKENS = 12_000;

/** Sentence ends of scripts without spaces, then of the others. */
const SENTENCE_END = /[。！？][」』”)]*|[.!?…]["'»”)\]]*(?=\s|$)/gu;

export const estimatedTokens = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN) + FRAME_TOKENS;

/** Length of a text that fits the budget in any script of one to three bytes a character. */
const charsWithin = (maxTokens: number): number => (maxTokens - FRAME_TOKENS) * (BYTES_PER_TOKEN / 3);

interface Budgeted<T> {
  readonly kept: readonly T[];
  readonly warnings: readonly string[];
}

/**
 * Keeps passages, best first, up to the first one that does not fit. If that is the best one, it is cut at the end of a
 * sentence.
 */
export function withinBudget<T extends { readonly text: string }>(
  passages: readonly T[],
  maxTokens: number,
): Budgeted<T> {
  let left = maxTokens;
  const end = passages.findIndex(({ text }) => {
    left -= estimatedTokens(text);
    return left < 0;
  });
  const [first] = passages;
  if (end === -1 || first === undefined) return { kept: passages, warnings: [] };
  if (end > 0) {
    const dropped = passages.length - end;
    return { kept: passages.slice(0, end), warnings: [`${dropped} of ${passages.length} passages ${over(maxTokens)}`] };
  }
  const cut = { ...first, text: cutAtSentence(first.text, Math.max(1, maxTokens - FRAME_TOKENS)) };
  const dropped = passages.length - 1;
  const rest = dropped === 0 ? [] : [`${dropped} of ${passages.length} passages ${over(maxTokens)}`];
  return { kept: [cut], warnings: ['the best passage was cut to the token budget', ...rest] };
}

const over = (maxTokens: number): string => `did not fit into the budget of ${maxTokens} tokens and were left out`;

/** The longest beginning of whole sentences, else of whole words, else of characters. */
function cutAtSentence(text: string, maxTokens: number): string {
  const bytes = Buffer.from(text).subarray(0, Math.floor(maxTokens * BYTES_PER_TOKEN));
  // A streaming decoder drops an incomplete last character.
  const head = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
  if (head.length >= text.length) return text;
  const sentence = [...head.matchAll(SENTENCE_END)].findLast(({ index, 0: mark }) => {
    // The cut may be inside a number: the dot of 3.5 ends no sentence.
    const after = text[index + mark.length];
    return /^[。！？]/.test(mark) || after === undefined || /\s/.test(after);
  });
  if (sentence !== undefined) return head.slice(0, sentence.index + sentence[0].length);
  const space = head.search(/\s\S*$/);
  return space > 0 ? head.slice(0, space) : head;
}

/** Most characters of a joined passage: about three chunks of the default size. */
const MOST_JOINED = 6_000;
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
function joinNeighbours(candidates: readonly Candidate[], most: number, maxChars = MOST_JOINED): Joined {
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

/** A changed word changes this many shingles. */
const SHINGLE_WORDS = 4;
/** A passage is a near-duplicate when better passages contain this share of its shingles: about one word in twenty differs. */
const KNOWN_SHARE = 0.8;

/** Word; each character counts as one in scripts without spaces. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+/gu;

/** 32-bit FNV-1a over UTF-16 units. Among the shingles of one answer, a collision has a chance of 1 in 100,000. */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

function hashOf(word: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), FNV_PRIME);
  return hash;
}

/** Different hashes of runs of words, ignoring case and punctuation. A text without words is one shingle. */
function shinglesOf(text: string): Int32Array {
  const words = text.normalize('NFKC').toLowerCase().match(WORD) ?? [text.trim()];
  const hashes = words.map(hashOf);
  const size = Math.min(SHINGLE_WORDS, hashes.length);
  const shingles = new Set<number>();
  for (let start = 0; start + size <= hashes.length; start++) {
    let shingle = size;
    for (let word = start; word < start + size; word++) shingle = Math.imul(shingle, FNV_PRIME) ^ (hashes[word] ?? 0);
    shingles.add(shingle);
  }
  return Int32Array.from(shingles);
}

/** Shingles of texts compared before: 4 MB. Questions of a course find the same passages again and again. */
const compared = new LRUCache<string, Int32Array>({
  maxSize: 1_000_000,
  sizeCalculation: ({ length }) => Math.max(1, length),
});

function rememberedShingles(text: string): Int32Array {
  const known = compared.get(text);
  if (known !== undefined) return known;
  const shingles = shinglesOf(text);
  compared.set(text, shingles);
  return shingles;
}

/** Enough for ten passages. */
const SLOTS = 4_096;

/** Shingles of the passages kept so far: a hash set with linear probing, where 0 is an empty slot. */
class KnownShingles {
  private slots = new Int32Array(SLOTS);
  private size = 0;

  /** Returns false and adds nothing when `KNOWN_SHARE` of the shingles are known. */
  add(shingles: Int32Array): boolean {
    const enough = KNOWN_SHARE * shingles.length;
    let known = shingles.length;
    for (let at = 0; at < shingles.length && known >= enough; at++) if (!this.has(shingles[at] ?? 0)) known--;
    if (known >= enough) return false;
    for (const shingle of shingles) this.put(shingle);
    return true;
  }

  private has(shingle: number): boolean {
    return this.slots[this.slotOf(shingle)] !== 0;
  }

  private put(shingle: number): void {
    if (2 * this.size >= this.slots.length) this.grow();
    const slot = this.slotOf(shingle);
    if (this.slots[slot] === 0) this.size++;
    this.slots[slot] = shingle || 1;
  }

  /** The slot of a shingle, or the empty slot that it goes to. */
  private slotOf(shingle: number): number {
    const [mask, wanted] = [this.slots.length - 1, shingle || 1];
    let slot = wanted & mask;
    while (this.slots[slot] !== 0 && this.slots[slot] !== wanted) slot = (slot + 1) & mask;
    return slot;
  }

  private grow(): void {
    const before = this.slots;
    this.slots = new Int32Array(2 * before.length);
    for (const shingle of before) if (shingle !== 0) this.slots[this.slotOf(shingle)] = shingle;
  }
}

/**
 * Drops items whose text is contained in better ones (Broder, "On the resemblance and containment of documents", 1997:
 * containment of shingles). A long passage that contains a better short one stays. Linear time; returns at most `most` items.
 */
export function withoutNearDuplicates<T extends { readonly text: string }>(items: Iterable<T>, most = Infinity): T[] {
  const known = new KnownShingles();
  const kept: T[] = [];
  for (const item of items) {
    if (kept.length >= most) break;
    if (known.add(rememberedShingles(item.text))) kept.push(item);
  }
  return kept;
}

/**
 * Share of its similarity that a passage keeps for each passage of its document that is better. The third passage of a
 * document gives its place to one of another document that is at most a tenth worse.
 */
const KEPT_SHARE = 0.95;

/**
 * Chooses `most` of the candidates, which stay in their order. The first passages of all documents stay in their order, too,
 * so that a ranking of documents loses nothing (a form of maximal marginal relevance, Carbonell and Goldstein, SIGIR 1998).
 */
function diversified(candidates: readonly Candidate[], most: number): readonly Candidate[] {
  if (candidates.length <= most) return candidates;
  const chosen = new Set<Candidate>();
  const taken = new Map<string, number>();
  while (chosen.size < most) {
    const next = bestOf(candidates, chosen, taken);
    chosen.add(next);
    taken.set(documentOf(next), (taken.get(documentOf(next)) ?? 0) + 1);
  }
  return candidates.filter((candidate) => chosen.has(candidate));
}

function bestOf(
  candidates: readonly Candidate[],
  chosen: ReadonlySet<Candidate>,
  taken: ReadonlyMap<string, number>,
): Candidate {
  let best = { candidate: candidates[0] as Candidate, score: -1 };
  for (const candidate of candidates) {
    // Sorted: no later one can be better.
    if (candidate.similarity <= best.score) break;
    if (chosen.has(candidate)) continue;
    const score = candidate.similarity * KEPT_SHARE ** (taken.get(documentOf(candidate)) ?? 0);
    if (score > best.score) best = { candidate, score };
  }
  return best.candidate;
}

function documentOf(candidate: Candidate): string {
  if (isOwn(candidate)) return candidate.hit.document_id;
  const { document, url, title } = candidate.passage.source;
  return `external ${document ?? (url === '' ? title : url)}`;
}

export interface Selection {
  readonly candidates: readonly Candidate[];
  /** True when merging sections or dropping duplicates left too few. */
  readonly isShort: boolean;
}

export interface Reranker {
  /** Sorts the candidates of one list; `list` is its number. */
  order(list: number, candidates: readonly Candidate[]): Promise<readonly Candidate[]>;
}

export type ReadSections = (keys: readonly SectionKey[]) => Promise<readonly (readonly SectionChunk[])[]>;

/** Sections read, and passages compared, per passage wanted: some are dropped or joined later. */
const OVERSAMPLING = 2;

const SPARE = 4;

/** Most candidates that are compared: the comparison blocks the event loop. */
const MOST_RANKED = 400;

/**
 * Selects passages: one ranking over all collections without near-duplicates, neighbours joined, over several documents; or,
 * grouped, the best of each collection. The candidates of a collection are sorted best first.
 */
export async function selectPassages(
  collections: readonly (readonly Candidate[])[],
  query: Pick<RetrievalQuery, 'topK' | 'parent' | 'grouped' | 'maxTokens'>,
  readSections: ReadSections,
  rerank: Reranker | null = null,
): Promise<Selection> {
  const { topK, parent = false, grouped = false, maxTokens = Infinity } = query;
  const lists = grouped ? collections : [collections.flat().sort(byRank).slice(0, MOST_RANKED)];
  const ranked = await Promise.all(
    lists.map(async (list, number) => {
      const most = rerank === null && !parent ? OVERSAMPLING * topK + SPARE : Infinity;
      const distinct = grouped ? list : withoutNearDuplicates(list, most);
      return rerank === null ? distinct : rerank.order(number, distinct);
    }),
  );
  const chosen = ranked.flatMap((list) => {
    if (parent) return bySection(list).slice(0, grouped ? topK : OVERSAMPLING * topK);
    if (grouped) return list.slice(0, topK);
    const { passages, rest } = joinNeighbours(list, topK, Math.min(MOST_JOINED, charsWithin(maxTokens)));
    // A reranker has read the passages: its order counts more.
    return rerank === null ? diversified([...passages, ...rest], topK) : passages;
  });
  const candidates = parent ? await expanded(chosen, readSections) : chosen;
  const unique = parent && !grouped ? withoutNearDuplicates(candidates, topK) : candidates;
  return { candidates: unique, isShort: isShort(lists, unique.length, topK) };
}

const isShort = (lists: readonly (readonly Candidate[])[], found: number, topK: number): boolean => {
  const wanted = lists.reduce((sum, list) => sum + Math.min(topK, list.length), 0);
  return found < wanted;
};

async function expanded(candidates: readonly Candidate[], readSections: ReadSections): Promise<Candidate[]> {
  const sections = await readSections(candidates.filter(isOwn).map(sectionKey));
  let place = 0;
  return candidates.map((candidate) => {
    if (!isOwn(candidate)) return candidate;
    return withSection(candidate, sections[place++] ?? []);
  });
}
