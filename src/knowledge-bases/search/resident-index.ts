import { B, K1 } from './bm25-query';
import type { Hit } from './chunk.types';

/** Columns of a hit that do not depend on the question. */
export type FoundChunk = Omit<Hit, 'similarity' | 'strength' | 'unknown'>;

/** A chunk of the current generation of its document. */
export interface ResidentChunk extends FoundChunk {
  /** Words of the indexed text. */
  readonly length: number;
  /** Its terms as `id << 8 | frequency`, joined by commas. */
  readonly terms: string;
}

export interface ResidentTerm {
  readonly id: number;
  readonly term: string;
  readonly df: number;
}

/** Counts that the ranking uses. They include chunks of other generations, as in the SQL. */
export interface ResidentTotals {
  readonly id: string;
  readonly chunkCount: number;
  readonly tokenCount: number;
}

/** Chunks that have a term, by their place in `chunks`, and how often each has it: 0 to 255. */
interface Postings {
  readonly df: number;
  readonly places: Uint32Array;
  readonly frequencies: Uint8Array;
}

interface Entry {
  readonly place: number;
  readonly frequency: number;
}

/** The keyword index of one knowledge base in memory. */
export class ResidentIndex {
  readonly id: string;
  readonly chunkCount: number;
  readonly tokenCount: number;
  readonly chunks: readonly FoundChunk[];
  /** Words of each chunk. */
  readonly lengths: readonly number[];
  /** Postings of all terms. */
  readonly size: number;
  private readonly postings: ReadonlyMap<string, Postings>;
  private normed = { mean: NaN, norms: new Float64Array() };

  /** `chunks` in the order of their ids. */
  constructor(totals: ResidentTotals, terms: readonly ResidentTerm[], chunks: readonly ResidentChunk[]) {
    this.id = totals.id;
    this.chunkCount = totals.chunkCount;
    this.tokenCount = totals.tokenCount;
    this.lengths = chunks.map(({ length }) => length);
    this.chunks = chunks.map(({ terms: _terms, length: _length, ...chunk }) => chunk);
    const entries = entriesOf(chunks);
    this.postings = new Map(
      terms.map(({ id, term, df }) => {
        const own = entries.get(id) ?? [];
        const places = Uint32Array.from(own, ({ place }) => place);
        return [term, { df, places, frequencies: Uint8Array.from(own, ({ frequency }) => frequency) }];
      }),
    );
    this.size = [...this.postings.values()].reduce((sum, { places }) => sum + places.length, 0);
  }

  /** The part of BM25 that depends on the length of a chunk, by place; `mean` is the mean length of all chunks that are asked. */
  norms(mean: number): Float64Array {
    if (this.normed.mean !== mean) {
      const norms = Float64Array.from(this.lengths, (length) => K1 * (1 - B) + (K1 * B * length) / mean);
      this.normed = { mean, norms };
    }
    return this.normed.norms;
  }

  /** Undefined for a term that no chunk has. */
  of(term: string): Postings | undefined {
    return this.postings.get(term);
  }
}

/** Entries by id of the term. */
function entriesOf(chunks: readonly ResidentChunk[]): ReadonlyMap<number, readonly Entry[]> {
  const entries = new Map<number, Entry[]>();
  chunks.forEach(({ terms }, place) => {
    for (const packed of terms === '' ? [] : terms.split(',').map(Number)) {
      const id = Math.floor(packed / 256);
      const own = entries.get(id) ?? [];
      own.push({ place, frequency: packed % 256 });
      entries.set(id, own);
    }
  });
  return entries;
}
