import type { Hit } from '../../search/chunk.types';
import { hasPhrases } from '../../search/words/quoted-phrases';
import { type Candidate, ownCandidate } from './candidate';

export interface HitLists {
  /** In the order of the knowledge bases, each best first. */
  readonly lists: readonly (readonly Candidate[])[];
  /** Whether a deeper search may find more. */
  readonly isCut: boolean;
}

export interface Pass {
  readonly bases: readonly { readonly id: string; readonly name: string }[];
  readonly phrases: readonly string[];
  readonly threshold: number;
  /** Limit of the search: hits per knowledge base. */
  readonly depth: number;
  /** No deeper pass follows. */
  readonly isLast: boolean;
}

/** Hits of each knowledge base above the threshold and with the quoted phrases. */
export function hitLists(hits: readonly Hit[], { bases, phrases, threshold, depth, isLast }: Pass): HitLists {
  const allowed = withPhrases(hits, phrases).filter(({ similarity }) => similarity >= threshold);
  const isFull = ({ id }: Pass['bases'][number]): boolean =>
    hits.filter((hit) => hit.knowledge_base_id === id).length >= depth;
  return {
    lists: bases.map(({ id, name }) =>
      allowed.flatMap((hit) => (hit.knowledge_base_id === id ? [ownCandidate(hit, name)] : [])),
    ),
    isCut: !isLast && bases.some(isFull),
  };
}

/** The hits that have the quoted phrases; all of them when none has. */
function withPhrases(hits: readonly Hit[], phrases: readonly string[]): readonly Hit[] {
  if (phrases.length === 0) return hits;
  const exact = hits.filter(({ section, text }) => hasPhrases(`${section}\n${text}`, phrases));
  return exact.length === 0 ? hits : exact;
}
