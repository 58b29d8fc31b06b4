import { foldedText, spacedText } from '@bellwether/kernel';

/** Languages whose frequent words are known. Texts of others are compared without leaving words out. */
export const QUOTE_LANGUAGES = ['en', 'es', 'ca', 'eu'] as const;
export type QuoteLanguage = (typeof QUOTE_LANGUAGES)[number];

/** Frequent words, folded. Question words among them tell the language of a short question. */
const FREQUENT: Readonly<Record<QuoteLanguage, string>> = {
  en: `a an the of in on at to for from by with and or is are was were be been being do does did has have had it its this
    that these those which what who whom whose when where why how many much as into than then there their they he she his
    her him them not no can could would will shall may might must should about also i you we me my your our us if but so
    such other some any each after before during between under over most more name call called tell explain please`,
  es: `el la los las lo un una unos unas de del en al a por para con sin sobre entre y o u e es son era eran fue fueron ser
    sido esta estan que cual cuales quien quienes cuando donde como cuanto cuantos cuanta cuantas porque se su sus le les
    este estos estas ese esa ha han habia no si mas pero tambien muy desde hasta durante segun explica dime`,
  ca: `el la els les lo un una uns unes de del dels d l en al als a per pel amb sense sobre entre i o u es son era eren fou
    van va ser estat esta que quin quina quins quines qui quan on com quant quants quanta quantes perque se seu seva seus
    seves li aquest aquesta aquests ha han no si mes pero tambe molt des fins durant segons explica digues fes`,
  eu: `da dira zen ziren du dute zuen zuten bat eta edo ez bai ere baina zer zein zeinek nor nork noren noiz non nola zenbat
    zergatik hau hori hura bere beren izan egin dago daude bezala baino arte gabe honi buruz dio diote egidazu`,
};

const FREQUENT_OF = new Map(QUOTE_LANGUAGES.map((language) => [language, new Set(FREQUENT[language].split(/\s+/))]));
const ALL_FREQUENT = new Set([...FREQUENT_OF.values()].flatMap((words) => [...words]));

/** Letters that a word keeps: enough to tell words apart, few enough to join "photosynthesis" and "photosynthetic". */
const STEM_LETTERS = 5;

/** Lower case without accents, so that "fotosintesi" equals "fotosíntesi". */
export const folded = (text: string): string => foldedText(text).toLowerCase();

export const wordsOf = (text: string): readonly string[] => spacedText(folded(text)).match(/[\p{L}\p{N}]+/gu) ?? [];

/** Stems of the words that carry meaning, in order. Numbers stay whole. */
export const termsOf = (text: string): readonly string[] =>
  wordsOf(text)
    .filter((word) => !ALL_FREQUENT.has(word))
    .map(stemOf);

function stemOf(word: string): string {
  if (/^\d+$/.test(word)) return word;
  // "move" and "moves" are one word.
  return word.length > STEM_LETTERS ? word.slice(0, STEM_LETTERS) : word.replace(/(?:es|[es])$/, '');
}

/** A title in another language says nothing about the language of the question. */
const QUOTED = /«[^«»]*»|“[^“”]*”|"[^"]*"/gu;

/** The language with the most frequent words in the text; English when none stands out. */
export function languageOf(text: string): QuoteLanguage {
  const words = wordsOf(text.replace(QUOTED, ' '));
  const hits = QUOTE_LANGUAGES.map((language) => words.filter((word) => FREQUENT_OF.get(language)?.has(word)).length);
  const most = Math.max(...hits);
  return QUOTE_LANGUAGES[hits.indexOf(most)] ?? 'en';
}
