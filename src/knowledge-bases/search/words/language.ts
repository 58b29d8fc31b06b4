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

/** Words as they stand: a text in no language that is known here. */
export const NO_LANGUAGE: Language = 'simple';

export const isLanguage = (name: string): name is Language => name in CONFIGURATIONS;

/** Name for `regconfig`; an unknown language is searched without stemming. */
export const searchConfiguration = (language: string | null): string =>
  language !== null && isLanguage(language) ? CONFIGURATIONS[language] : CONFIGURATIONS[NO_LANGUAGE];
