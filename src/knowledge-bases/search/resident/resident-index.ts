import type { Hit } from '../chunk.types';

/** What a hit tells of a chunk, whatever the question. */
export type FoundChunk = Omit<Hit, 'similarity' | 'strength' | 'unknown'>;

/** A chunk of a generation in force. */
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

/** Counts that the ranking uses. They include chunks of generations that are not in force, as in the SQL. */
export interface ResidentTotals {
  readonly id: string;
  readonly chunkCount: number;
  readonly tokenCount: number;
}

/** Chunks that have a term, by their place in `chunks`, and how often each has it. */
interface Postings {
  readonly df: number;
  readonly places: number[];
  readonly frequencies: number[];
}

/** The keyword index of one knowledge base in memory. */
export class ResidentIndex {
  readonly id: string;
  readonly chunkCount: number;
  readonly tokenCount: number;
  readonly chunks: readonly FoundChunk[];
  /** Words of each chunk. */
  readonly lengths: readonly number[];
  private readonly postings = new Map<string, Postings>();

  /** `chunks` in the order of their ids. */
  constructor(totals: ResidentTotals, terms: readonly ResidentTerm[], chunks: readonly ResidentChunk[]) {
    this.id = totals.id;
    this.chunkCount = totals.chunkCount;
    this.tokenCount = totals.tokenCount;
    const byId = new Map<number, Postings>();
    for (const { id, term, df } of terms) {
      const postings = { df, places: [], frequencies: [] };
      byId.set(id, postings);
      this.postings.set(term, postings);
    }
    this.lengths = chunks.map(({ length }) => length);
    this.chunks = chunks.map(({ terms: list, length: _length, ...chunk }, place) => {
      for (const entry of list === '' ? [] : list.split(',')) {
        const packed = Number(entry);
        const postings = byId.get(Math.floor(packed / 256));
        postings?.places.push(place);
        postings?.frequencies.push(packed % 256);
      }
      return chunk;
    });
  }

  /** Postings of all terms. */
  get size(): number {
    return [...this.postings.values()].reduce((sum, { places }) => sum + places.length, 0);
  }

  /** Undefined for a term that no chunk has. */
  of(term: string): Postings | undefined {
    return this.postings.get(term);
  }
}
