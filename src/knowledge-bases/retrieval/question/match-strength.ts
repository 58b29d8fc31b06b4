import type { Match } from '../../../kernel';
import type { Hit } from '../../search/chunk.types';

/** Below it, the best passage usually has one word of several by chance. */
const WEAK = 0.5;
/** Share of the rarest words that gives the strength `WEAK`: less than one word of three. */
const SHARE_AT_WEAK = 0.2;

/**
 * Strength of the best passage: the share of the question's six rarest words that the passage has, weighted by rarity and
 * saturated as in BM25. It is scaled so that `SHARE_AT_WEAK` gives 0.5. Null without a keyword search.
 */
export function matchOf(hits: readonly Pick<Hit, 'strength'>[]): Match | null {
  const shares = hits.flatMap(({ strength }) => strength ?? []);
  if (shares.length === 0) return null;
  const strength = 1 - WEAK ** (Math.max(...shares) / SHARE_AT_WEAK);
  return { strength: Math.round(strength * 1000) / 1000, weak: strength < WEAK };
}

export const NO_MATCH: Match = { strength: 0, weak: true };
