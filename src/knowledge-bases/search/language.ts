/** PostgreSQL text-search configurations by language. All ship with PostgreSQL 14 and later. */
const CONFIGURATIONS = {
  simple: 'simple',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  en: 'english',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hu: 'hungarian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  nl: 'dutch',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sv: 'swedish',
  tr: 'turkish',
} as const;

export type Language = keyof typeof CONFIGURATIONS;
export const LANGUAGES = Object.keys(CONFIGURATIONS) as readonly Language[];

const isLanguage = (name: string): name is Language => name in CONFIGURATIONS;

/** Name for `regconfig`; an unknown language is searched without stemming. */
export const searchConfiguration = (language: string | null): string =>
  language !== null && isLanguage(language) ? CONFIGURATIONS[language] : CONFIGURATIONS.simple;

/** Catalan l·l, also written ŀl or with look-alike dots. The text-search parser would split the word at the dot. */
const GEMINATE_L = /(?:l[·•‧⋅]|ŀ)l/gi;

/**
 * Text as it is indexed and queried: accents of Latin letters are folded before stemming, so that "fotosintesi" finds
 * "fotosíntesi". Other scripts keep their marks, which are letters there.
 */
export const searchableText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll('\0', ' ')
    .replace(GEMINATE_L, 'll')
    .normalize('NFD')
    .replace(/(?<=\p{Script=Latin})\p{Mn}+/gu, '')
    .normalize('NFC');

/** Frequent words that only one of these languages has. */
const MARKERS: Readonly<Partial<Record<Language, string>>> = {
  ca: 'amb els dels és són aquest aquesta aquests també més què perquè seva seu i',
  de: 'der die und das ist nicht ein eine mit für von auf sich',
  en: 'the of and is that for with are this from was which by',
  es: 'los las con por y más muy también su sus fue lo pero el este',
  eu: 'eta ez dira bat du dute edo izan zen ere baina dituzte',
  fr: 'des est et dans pour qui sur avec sont le au cette',
  it: 'il che di sono della gli nel anche dei delle più',
  pt: 'os uma com não são dos mais também do em ao pela',
};
const SAMPLE_CHARS = 20_000;
const LEAST_HITS = 3;
const LEAST_SHARE = 0.04;

/** Language of a text by its most frequent words; `simple`, which does no stemming, when no language stands out. */
export function detectLanguage(text: string): Language {
  const words =
    text
      .slice(0, SAMPLE_CHARS)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const scores = Object.entries(MARKERS)
    .map(([language, markers]) => ({
      language: language as Language,
      hits: markers.split(' ').reduce((sum, marker) => sum + (counts.get(marker) ?? 0), 0),
    }))
    .sort((a, b) => b.hits - a.hits);
  const best = scores[0];
  if (best === undefined || best.hits < LEAST_HITS || best.hits < LEAST_SHARE * words.length) return 'simple';
  return best.language;
}
