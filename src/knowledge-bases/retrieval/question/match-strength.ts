import type { Match } from '../../../kernel';
import type { Hit } from '../../search/chunk.types';

/** A weaker match is one word of several, found by chance. */
const WEAK = 0.5;
/** The share of the rarest words at that boundary: of a question of three rare words, less than one stands in the passage. */
const SHARE_AT_WEAK = 0.2;

/**
 * The share of the question's six rarest words that the best passage has, each weighted by its rarity and saturated as in BM25,
 * on a scale with the boundary in its middle. Null without a keyword search.
 */
export function matchOf(hits: readonly Pick<Hit, 'strength'>[]): Match | null {
  const shares = hits.flatMap(({ strength }) => strength ?? []);
  if (shares.length === 0) return null;
  const strength = 1 - WEAK ** (Math.max(...shares) / SHARE_AT_WEAK);
  return { strength: Math.round(strength * 1000) / 1000, weak: strength < WEAK };
}

export const NO_MATCH: Match = { strength: 0, weak: true };
