import type { Hit } from '../../search/chunk.types';
import { type Match, matchOf, NO_MATCH } from './match-strength';

/** How a question was understood, and how well the material fits it. */
export interface SearchedQuestion {
  /** Null when it is unknown: vectors or an external server took part, or there was no question. */
  readonly match: Match | null;
  /** The question with its typing errors corrected; null when it was searched for as it is. */
  readonly searchedFor: string | null;
}

/** Nothing is known about it. */
export const AS_ASKED: SearchedQuestion = { match: null, searchedFor: null };

/** What a search did with a question. */
interface Asked {
  readonly question: { readonly text: string };
  readonly bases: readonly unknown[];
  readonly vectors: readonly unknown[];
  readonly searchedFor: string | null;
}

export function searchedQuestion(
  { question, bases, vectors, searchedFor }: Asked,
  hits: readonly Hit[],
  isExternal: boolean,
): SearchedQuestion {
  const isAsked = bases.length > 0 && question.text.trim() !== '';
  return {
    match: isExternal || vectors.length > 0 || !isAsked ? null : (matchOf(hits) ?? NO_MATCH),
    searchedFor,
  };
}
