/** The language of a text. */
export interface TextLanguage {
  /** ISO 639-1. */
  readonly language: string;
  /** Similarity to each language that comes near, 0..1. */
  readonly scores: Readonly<Record<string, number>>;
}

export interface ToDetector {
  readonly id: number;
  readonly texts: readonly string[];
}

export interface FromDetector {
  readonly id: number;
  /** In the order of the texts; null for a text that is too short to tell. */
  readonly found: readonly (TextLanguage | null)[];
}

/** Related languages share most letter sequences. A language within this share of the best score is possible, too. */
const MARGIN = 0.95;

/** Whether the text may be in one of the languages. True without languages. */
export function isIn({ language, scores }: TextLanguage, languages: readonly string[]): boolean {
  const best = scores[language] ?? 1;
  return languages.length === 0 || languages.some((each) => each === language || (scores[each] ?? 0) >= MARGIN * best);
}
