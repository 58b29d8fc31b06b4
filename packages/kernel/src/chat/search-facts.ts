/** How well the best passage fits a question. */
export interface Match {
  /** 0..1, whatever the length of the question; below 0.5 the match is weak. */
  readonly strength: number;
  readonly weak: boolean;
}

export const LANGUAGE_BRIDGES = ['rewriter', 'embedding', 'translator'] as const;
/** How a question in another language reached the material. */
export type LanguageBridge = (typeof LANGUAGE_BRIDGES)[number];

/** A question in another language than the material. */
export interface LanguageGap {
  /** ISO 639-1. */
  readonly question: string;
  readonly material: readonly string[];
  /** Null: it was searched for in its own words, which finds little. */
  readonly bridge: LanguageBridge | null;
}

/** How a search understood the question, and how well the material fits it. */
export interface SearchFacts {
  /** Null when it is unknown: vectors or an external server took part, or there was no question. */
  readonly match: Match | null;
  /** The question with its typing errors corrected; null when it was searched for as it is. */
  readonly searchedFor: string | null;
  /** Null when the question is in a language of the material, or its language is unknown. */
  readonly languages: LanguageGap | null;
}

/** The same in events, records and reports; absent members say nothing. */
export interface ToldSearch {
  readonly match?: Match;
  readonly searched_for?: string;
  readonly languages?: LanguageGap;
}

export const told = ({ match, searchedFor, languages }: SearchFacts): ToldSearch => ({
  ...(match === null ? {} : { match }),
  ...(searchedFor === null ? {} : { searched_for: searchedFor }),
  ...(languages === null ? {} : { languages }),
});

/** The notice about its searches that readers of an answer see. */
export interface SearchNotice {
  /** The material hardly fits the question. */
  readonly weak: boolean;
  readonly searched_for: string | null;
  /** The question is in another language than the material, and nothing translated it. */
  readonly languages: Pick<LanguageGap, 'question' | 'material'> | null;
}

/** Null where there is nothing to tell. A match is weak when that of every search is. */
export function noticeOf(searches: readonly ToldSearch[]): SearchNotice | null {
  const matches = searches.flatMap(({ match }) => match ?? []);
  const gap = searches.find(({ languages }) => languages?.bridge === null)?.languages;
  const notice: SearchNotice = {
    weak: matches.length > 0 && matches.length === searches.length && matches.every(({ weak }) => weak),
    searched_for: searches.find(({ searched_for: text }) => text !== undefined)?.searched_for ?? null,
    languages: gap === undefined ? null : { question: gap.question, material: gap.material },
  };
  return notice.weak || notice.searched_for !== null || notice.languages !== null ? notice : null;
}
