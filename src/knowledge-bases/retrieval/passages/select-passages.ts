import { bySection, type Candidate, byRank, isOwn, sectionKey, withSection } from './candidate';
import { diversified } from './diversified';
import { joinNeighbours, MOST_JOINED } from './joined-neighbours';
import { withoutNearDuplicates } from './near-duplicates';
import { charsWithin } from './token-budget';
import type { RetrievalQuery } from './retrieval.types';
import type { SectionChunk, SectionKey } from '../../search/passage.repository';

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
