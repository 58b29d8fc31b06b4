import { bySection, type Candidate, byRank, isOwn, sectionKey, withSection } from './candidate';
import { withoutNearDuplicates } from './near-duplicates';
import type { RetrievalQuery } from './retrieval.types';
import type { SectionChunk, SectionKey } from '../../search/passage.repository';

export interface Selection {
  readonly candidates: readonly Candidate[];
  /** True when fewer than asked for are left because others fell together or were alike. */
  readonly isShort: boolean;
}

export type ReadSections = (keys: readonly SectionKey[]) => Promise<readonly (readonly SectionChunk[])[]>;

/** Sections that a near-duplicate may be replaced from, for each one wanted. */
const SPARE_SECTIONS = 2;

/** Best candidates that are looked at, of however many collections: comparing texts holds up everybody else meanwhile. */
const MOST_RANKED = 400;

/**
 * What of the collections' candidates becomes passages: one ranking over all of them without near-duplicates, or, grouped, each
 * collection's own best. Candidates of a collection come best first.
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
      return bySection(grouped ? list : withoutNearDuplicates(list)).slice(0, grouped ? topK : SPARE_SECTIONS * topK);
    return grouped ? list.slice(0, topK) : withoutNearDuplicates(list, topK);
  });
  const candidates = parent ? await expanded(chosen.flat(), readSections) : chosen.flat();
  const unique = parent && !grouped ? withoutNearDuplicates(candidates, topK) : candidates;
  return { candidates: unique, isShort: isShort(lists, unique.length, topK) };
}

/** Whether more candidates could fill the answer up: some were lost on the way. */
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
