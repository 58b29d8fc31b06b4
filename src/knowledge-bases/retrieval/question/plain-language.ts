import { stopWordsOf } from '../../search/searchable-text';
import { FUNCTION_WORDS_OF, wordsOf } from './question-words';

type Listed = keyof typeof FUNCTION_WORDS_OF;

const listOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Frequent words of languages without a full list. They only speak against the listed languages. */
const OTHERS = {
  pt: 'o os um uma umas do da dos das nos na nas em ao aos pelo pela nao sao foi com mas mais seu sua seus suas isso isto essa ele eles voce qual quais onde quando tem sobre entre ate ja tambem muito aqueles aquelas',
  fr: 'le les des du une est et dans pour par sur au aux ce cette ces il elle ils elles nous vous leur leurs qui quel quelle quels quelles ou comment pourquoi avec pas ne sont etait ont plus mais donc son sa ses',
  it: 'il lo gli di che non per sono nel nella dei delle degli alla dal dalla sul sulla piu come cosa quale quali chi dove quando perche anche questo questa questi queste suo sua hanno era stato stata della dello con',
  de: 'der die das den dem des ein eine einen einem einer und ist sind nicht mit von zu zum zur im auf fur aus bei nach wie wer wo wann warum welche welcher welches wird werden wurde kann hat haben sich auch oder es er sie ich wir man als',
  nl: 'het een van en zijn niet met voor op aan bij uit naar hoe wie wat waar wanneer waarom welke wordt worden kan heeft hebben zich ook of er dat deze dit die als maar om te door werd waren',
  nordic:
    'och og att at det en ett et som pa av af for med ar er inte ikke den till til var vad hvad hva hur hvordan vem hvem hvor nar de om har hade havde sig seg kan vilken hvilken',
} as const;

/** Letters that the language does not write, in its frequent words or in those of its neighbours. */
const FOREIGN_LETTER: Readonly<Record<Listed, RegExp>> = {
  en: /[^\P{L}a-z]/u,
  es: /[^\P{L}a-záéíóúüñ]/u,
  ca: /[^\P{L}a-zàèéíïòóúüç]/u,
  eu: /[^\P{L}a-zñ]/u,
};

const isListed = (language: string): language is Listed => Object.hasOwn(FUNCTION_WORDS_OF, language);

/** Function words of the listed languages, with the stop words of the index. */
const own = new Map(
  (Object.keys(FUNCTION_WORDS_OF) as Listed[]).map((language) => [
    language,
    new Set([...FUNCTION_WORDS_OF[language], ...stopWordsOf(language)]),
  ]),
);
const others = new Map(Object.entries(OTHERS).map(([language, words]) => [language, listOf(words)]));

/** Words of other languages than this one. */
const elsewhere = new Map(
  [...own.keys()].map((language) => {
    const lists = [...own, ...others].filter(([name]) => name !== language).map(([, words]) => words);
    return [language, new Set(lists.flatMap((words) => [...words]))];
  }),
);

/** Different function words of the language in a text, and those among them that no other language has. */
const LEAST_OWN = 3;
const LEAST_ALONE = 2;
/** Least share of function words in a text. */
const LEAST_SHARE = 0.25;

/**
 * Whether the small words of a text leave no doubt that it is in a language: the answer for most questions that are in the
 * language of their material. False says nothing: most languages have no list, and few words prove nothing.
 */
export function isPlainlyIn(language: string, text: string): boolean {
  if (!isListed(language) || FOREIGN_LETTER[language].test(text.normalize('NFC').toLowerCase())) return false;
  const [mine, theirs] = [own.get(language), elsewhere.get(language)];
  const words = wordsOf(text);
  const found = words.filter((word) => mine?.has(word));
  if (words.some((word) => theirs?.has(word) && !mine?.has(word))) return false;
  const different = [...new Set(found)].filter((word) => word.length > 1);
  const alone = different.filter((word) => !theirs?.has(word));
  return different.length >= LEAST_OWN && alone.length >= LEAST_ALONE && found.length >= LEAST_SHARE * words.length;
}
