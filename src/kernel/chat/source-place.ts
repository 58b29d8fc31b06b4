export const PLACE_UNITS = ['page', 'slide', 'sheet', 'cell'] as const;
export type PlaceUnit = (typeof PLACE_UNITS)[number];

/** Where a passage stands in its document. */
export interface SourcePlace {
  readonly unit: PlaceUnit;
  /** First and last page, slide, sheet or cell, from 1. */
  readonly from: number;
  readonly to: number;
  /** Number of them in the document; null when unknown. */
  readonly of: number | null;
  /** Printed page numbers or name of the sheet; null where they only count from 1. */
  readonly label: string | null;
  /** The place in words, in the language of the question. */
  readonly text: string;
}

export type PlaceFacts = Omit<SourcePlace, 'text'>;

interface PlaceWords {
  readonly page: (numbers: string, isOne: boolean) => string;
  /** The printed number with the counted one, or the counted one alone. */
  readonly pageOf: (numbers: string, of: number) => string;
  readonly slide: (numbers: string, isOne: boolean) => string;
  readonly sheet: (name: string) => string;
  readonly cell: (numbers: string, isOne: boolean) => string;
}

const WORDS = {
  en: {
    page: (numbers, isOne) => `${isOne ? 'p.' : 'pp.'} ${numbers}`,
    pageOf: (numbers, of) => `${numbers} of ${of}`,
    slide: (numbers, isOne) => `${isOne ? 'slide' : 'slides'} ${numbers}`,
    sheet: (name) => `sheet “${name}”`,
    cell: (numbers, isOne) => `${isOne ? 'cell' : 'cells'} ${numbers}`,
  },
  es: {
    page: (numbers, isOne) => `${isOne ? 'pág.' : 'págs.'} ${numbers}`,
    pageOf: (numbers, of) => `${numbers} de ${of}`,
    slide: (numbers, isOne) => `${isOne ? 'diapositiva' : 'diapositivas'} ${numbers}`,
    sheet: (name) => `hoja «${name}»`,
    cell: (numbers, isOne) => `${isOne ? 'celda' : 'celdas'} ${numbers}`,
  },
  ca: {
    page: (numbers, isOne) => `${isOne ? 'pàg.' : 'pàgs.'} ${numbers}`,
    pageOf: (numbers, of) => `${numbers} de ${of}`,
    slide: (numbers, isOne) => `${isOne ? 'diapositiva' : 'diapositives'} ${numbers}`,
    sheet: (name) => `full «${name}»`,
    cell: (numbers, isOne) => `${isOne ? 'cel·la' : 'cel·les'} ${numbers}`,
  },
  eu: {
    page: (numbers) => `${numbers} or.`,
    pageOf: (numbers, of) => `${numbers}/${of}`,
    slide: (numbers) => `${numbers} diapositiba`,
    sheet: (name) => `“${name}” orria`,
    cell: (numbers) => `${numbers} gelaxka`,
  },
} satisfies Readonly<Record<string, PlaceWords>>;

const isSpoken = (language: string | null): language is keyof typeof WORDS =>
  language !== null && Object.hasOwn(WORDS, language);

/** The place in words, in English where the language has none here: `p. 13 (41 of 261)`. */
export function placeText({ unit, from, to, of, label }: PlaceFacts, language: string | null): string {
  const words: PlaceWords = WORDS[isSpoken(language) ? language : 'en'];
  const isOne = from === to;
  const range = isOne ? `${from}` : `${from}–${to}`;
  // Basque numbers are ordinal: `4. diapositiba`.
  const numbers = language === 'eu' ? `${range}.` : range;
  if (unit === 'sheet') return words.sheet(label ?? range);
  if (unit !== 'page') return words[unit](numbers, isOne);
  const counted = of === null ? null : words.pageOf(range, of);
  if (label === null) return words.page(counted ?? numbers, isOne);
  return `${words.page(language === 'eu' ? `${label}.` : label, isOne)} (${counted ?? range})`;
}
