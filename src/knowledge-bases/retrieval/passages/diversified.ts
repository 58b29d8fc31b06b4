import { type Candidate, isOwn } from './candidate';

/**
 * Share of its similarity that a passage keeps for each passage of its document that is better. The third passage of a
 * document gives its place to one of another document that is at most a tenth worse.
 */
const KEPT_SHARE = 0.95;

/**
 * Chooses `most` of the candidates, which stay in their order. The first passages of all documents stay in their order, too,
 * so that a ranking of documents loses nothing (a form of maximal marginal relevance, Carbonell and Goldstein, SIGIR 1998).
 */
export function diversified(candidates: readonly Candidate[], most: number): readonly Candidate[] {
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
