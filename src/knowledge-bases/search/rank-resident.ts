import { QUERY_TERMS, STRENGTH_TERMS } from './bm25-query';
import type { Hit } from './chunk.types';
import type { FoundChunk, ResidentIndex } from './resident-index';

/** A word of a wording, as PostgreSQL stems it. */
export interface QuestionWord {
  /** Number of the wording, from 1. */
  readonly number: number;
  readonly term: string;
  /** How often the wording has it. */
  readonly qtf: number;
}

/** A knowledge base that is asked in one of the wordings. */
export interface ResidentScope {
  readonly index: ResidentIndex;
  readonly number: number;
}

interface Weighed {
  readonly term: string;
  readonly weight: number;
  readonly rare: number;
}

/**
 * Ranks as `BM25_QUERY` does, but from indexes in memory, with the same similarity and strength for each passage. The
 * choice of passages is exact for any number of postings; the SQL reads a bounded number.
 *
 * @param words in the order of their terms, which decides between equally rare ones
 */
export function rankResident(scopes: readonly ResidentScope[], words: readonly QuestionWord[], depth: number): Hit[] {
  const indexes = [...new Set(scopes.map(({ index }) => index))];
  const chunks = sum(indexes, ({ chunkCount }) => chunkCount);
  const mean = Math.max(sum(indexes, ({ tokenCount }) => tokenCount) / Math.max(chunks, 1), 1);
  const numbers = [...new Set(scopes.map(({ number }) => number))];
  const weighed = new Map(numbers.map((number) => [number, weigh(wordsOf(number, words, scopes), chunks)]));
  const unknown = unknownOf(words, scopes);
  const found = scopes.flatMap(({ index, number }) => best(index, weighed.get(number) ?? [], { mean, depth }));
  return (scopes.length === 1 ? found : merged(found))
    .map(({ index, place, similarity, strength }) => ({ ...chunkOf(index, place), similarity, strength, unknown }))
    .sort(bestFirst);
}

interface Counted {
  readonly term: string;
  readonly qtf: number;
  readonly df: number;
}

const wordsOf = (number: number, words: readonly QuestionWord[], scopes: readonly ResidentScope[]): Counted[] => {
  const asked = scopes.filter((scope) => scope.number === number);
  return words
    .filter((word) => word.number === number)
    .map(({ term, qtf }) => ({ term, qtf, df: sum(asked, ({ index }) => index.of(term)?.df ?? 0) }));
};

/** Inverse document frequency of BM25, never negative. */
const idf = (chunks: number, df: number): number => Math.log(1 + (chunks - df + 0.5) / (df + 0.5));

/** Known words first, then the rarest. */
const rarestKnown = (a: Counted, b: Counted): number => Number(a.df === 0) - Number(b.df === 0) || a.df - b.df;

function weigh(words: readonly Counted[], chunks: number): Weighed[] {
  const rarest = [...words].sort((a, b) => a.df - b.df).slice(0, STRENGTH_TERMS);
  const rarity = new Map(rarest.map(({ term, df }) => [term, idf(chunks, Math.max(df, 1))]));
  const allRare = Math.max(
    sum([...rarity.values()], (each) => each),
    1e-9,
  );
  const chosen = [...words].sort(rarestKnown).slice(0, QUERY_TERMS);
  const all = sum(chosen, ({ qtf, df }) => qtf * idf(chunks, df));
  return chosen.map(({ term, qtf, df }) => ({
    term,
    weight: (qtf * idf(chunks, df)) / all,
    rare: (rarity.get(term) ?? 0) / allRare,
  }));
}

/** Words of the first wording that no knowledge base has. */
function unknownOf(words: readonly QuestionWord[], scopes: readonly ResidentScope[]): readonly string[] | null {
  const isKnown = ({ term, number }: QuestionWord): boolean =>
    scopes.some((scope) => scope.number === number && scope.index.of(term) !== undefined);
  const known = new Set(words.filter(isKnown).map(({ term }) => term));
  const unknown = words.filter(({ number, term }) => number === 1 && !known.has(term)).map(({ term }) => term);
  return unknown.length === 0 ? null : unknown;
}

interface Found {
  readonly index: ResidentIndex;
  readonly place: number;
  readonly similarity: number;
  readonly strength: number;
}

/** Sums by place, and the places that have one. All questions share the arrays: a ranking is synchronous. */
class Sums {
  similarities = new Float64Array();
  strengths = new Float64Array();
  private places = new Uint32Array();
  private count = 0;

  reset(places: number): void {
    if (this.places.length < places) {
      this.similarities = new Float64Array(places);
      this.strengths = new Float64Array(places);
      this.places = new Uint32Array(places);
    }
    for (const place of this.touched()) {
      this.similarities[place] = 0;
      this.strengths[place] = 0;
    }
    this.count = 0;
  }

  add(place: number, similarity: number, strength: number): void {
    const before = this.similarities[place] ?? 0;
    if (before === 0) this.places[this.count++] = place;
    this.similarities[place] = before + similarity;
    this.strengths[place] = (this.strengths[place] ?? 0) + strength;
  }

  touched(): Uint32Array {
    return this.places.subarray(0, this.count);
  }
}

const sums = new Sums();

function best(index: ResidentIndex, words: readonly Weighed[], limits: { mean: number; depth: number }): Found[] {
  sums.reset(index.chunks.length);
  const norms = index.norms(limits.mean);
  for (const { term, weight, rare } of words) {
    const { places, frequencies } = index.of(term) ?? NO_POSTINGS;
    for (let at = 0; at < places.length; at++) {
      const place = places[at] ?? 0;
      const part = 1 / (1 + (norms[place] ?? 0) / (frequencies[at] ?? 0));
      if (part > 0) sums.add(place, weight * part, rare * part);
    }
  }
  return bestPlaces(sums.touched(), sums.similarities, limits.depth).map((place) => ({
    index,
    place,
    similarity: sums.similarities[place] ?? 0,
    strength: sums.strengths[place] ?? 0,
  }));
}

const NO_POSTINGS = { places: new Uint32Array(), frequencies: new Uint8Array() };

/** The `depth` places of the highest scores above 0, best first; equal ones in the order of the places. */
function bestPlaces(places: Uint32Array, scores: Float64Array, depth: number): number[] {
  const isBetter = (a: number, b: number): boolean => {
    const [one, other] = [scores[a] ?? 0, scores[b] ?? 0];
    return one > other || (one === other && a < b);
  };
  const found: number[] = [];
  for (const place of places) {
    if (!((scores[place] ?? 0) > 0)) continue;
    let at = found.length;
    if (at === depth && !isBetter(place, found[at - 1] ?? 0)) continue;
    if (at === depth) at--;
    for (; at > 0 && isBetter(place, found[at - 1] ?? 0); at--) found[at] = found[at - 1] ?? 0;
    found[at] = place;
  }
  return found;
}

/** One entry for each chunk, with the best values of its wordings. */
function merged(found: readonly Found[]): readonly Found[] {
  const byChunk = new Map<string, Found>();
  for (const each of found) {
    const { chunk_id: id } = chunkOf(each.index, each.place);
    const known = byChunk.get(id);
    byChunk.set(id, {
      ...each,
      similarity: Math.max(each.similarity, known?.similarity ?? 0),
      strength: Math.max(each.strength, known?.strength ?? 0),
    });
  }
  return [...byChunk.values()];
}

function chunkOf(index: ResidentIndex, place: number): FoundChunk {
  const chunk = index.chunks[place];
  if (chunk === undefined) throw new Error(`No chunk ${place} in the index of ${index.id}`);
  return chunk;
}

const bestFirst = (a: Hit, b: Hit): number => b.similarity - a.similarity || Number(a.chunk_id) - Number(b.chunk_id);

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);
