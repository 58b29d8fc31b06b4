import { bySection, type Candidate, byRank, isOwn, sectionKey, withSection } from './candidate';
import { withoutNearDuplicates } from './near-duplicates';
import type { RetrievalQuery } from './retrieval.types';
import type { SectionChunk, SectionKey } from '../../search/passage.repository';

export interface Selection {
  readonly candidates: readonly Candidate[];
  /** True when merging sections or dropping duplicates left too few. */
  readonly isShort: boolean;
}

export type ReadSections = (keys: readonly SectionKey[]) => Promise<readonly (readonly SectionChunk[])[]>;

/** Sections read per section wanted: near-duplicates are dropped later. */
const OVERSAMPLING = 2;

/** Most candidates that are compared: the comparison blocks the event loop. */
const MOST_RANKED = 400;

/**
 * Selects passages: one ranking over all collections without near-duplicates, or, grouped, the best of each collection. The
 * candidates of a collection are sorted best first.
 */
export async function selectPassages(
  collections: readonly (readonly Candidate[])[],
  query: Pick<RetrievalQuery, 'topK' | 'parent' | 'grouped'>,
  readSections: ReadSections,
): Promise<Selection> {
  const { topK, parent = false, grouped = false } = query;
  const lists = grouped ? collections : [collections.flat().sort(byRank).slice(0, MOST_RANKED)];
  const chosen = lists.map((list) => {
    if (parent)
      return bySection(grouped ? list : withoutNearDuplicates(list)).slice(0, grouped ? topK : OVERSAMPLING * topK);
    return grouped ? list.slice(0, topK) : withoutNearDuplicates(list, topK);
  });
  const candidates = parent ? await expanded(chosen.flat(), readSections) : chosen.flat();
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
