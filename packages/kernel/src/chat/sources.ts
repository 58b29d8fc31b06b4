export const LOCATOR_UNITS = ['page', 'slide', 'sheet', 'cell'] as const;
export type LocatorUnit = (typeof LOCATOR_UNITS)[number];

/** Location of a passage in its document. */
export interface PassageLocator {
  readonly unit: LocatorUnit;
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

export type LocatorFacts = Omit<PassageLocator, 'text'>;

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
export function locatorText({ unit, from, to, of, label }: LocatorFacts, language: string | null): string {
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

/** A source as clients see it (docs/reference/events.md). */
export interface KnowledgeBaseSource {
  readonly type: 'knowledge_base';
  readonly title: string;
  readonly url: string;
  /** 0..1, higher is closer. */
  readonly similarity: number;
  /** File name. */
  readonly document: string | null;
  /** First page, from 1. */
  readonly page?: number;
  /** Last page; absent for one page. */
  readonly page_end?: number;
  /** Location in the document, for formats that have pages, slides, sheets or cells. */
  readonly place?: PassageLocator;
  /** Headings above it, outermost first, joined by ` › `. */
  readonly section?: string;
  readonly document_id?: string;
  /** Collection of an external server: its id there, twice. */
  readonly knowledge_base?: { readonly id: string; readonly name: string };
  /** Number of the source over all tools of the run, from 1. */
  readonly n?: number;
}
export interface RubricSource {
  readonly type: 'rubric';
  readonly rubric_id: string;
  readonly title: string;
  readonly format: 'markdown' | 'json';
  readonly n?: number;
}
export interface FileSource {
  readonly type: 'file';
  readonly path: string;
  readonly chars: number;
  readonly truncated: boolean;
  readonly n?: number;
}
export type Source = KnowledgeBaseSource | RubricSource | FileSource;

/**
 * Equal for the same place of a document, whichever tool found it. Excludes similarity and signed links, which differ
 * between calls. Passages of one place differ by their order.
 */
export function sourceIdentity(source: Source): string {
  if (source.type === 'rubric') return JSON.stringify([source.type, source.rubric_id, source.format]);
  if (source.type === 'file') return JSON.stringify([source.type, source.path, source.chars, source.truncated]);
  const { type, title, url, document, page, page_end, place, section, document_id, knowledge_base } = source;
  const where = document_id === undefined ? [title, url, document, knowledge_base?.id] : [document_id];
  const cell = page === undefined && place !== undefined ? [place.from, place.to] : [];
  return JSON.stringify([type, ...where, page, page_end, section, ...cell]);
}

/** Text that a tool found, for the reader and for connectors that quote. */
export interface SourcePassage {
  /** Number of its source over all tools of the run; null for material without a source. */
  readonly n: number | null;
  /** Title of the document, the section and the place; empty when unknown. */
  readonly title: string;
  readonly text: string;
}

export function titleOfSource(source: Source): string {
  if (source.type === 'file') return source.path;
  if (source.type === 'rubric') return source.title;
  const { place } = source;
  return place === undefined ? withSection(source) : `${withSection(source)}, ${place.text}`;
}

function withSection({ title, section = '' }: KnowledgeBaseSource): string {
  if (section === '' || section === title) return title;
  return section.startsWith(`${title} › `) ? section : `${title} › ${section}`;
}
