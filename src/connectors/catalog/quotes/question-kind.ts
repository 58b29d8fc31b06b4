import { folded, wordsOf } from './words';

/** Tests whether a sentence has the form that an answer to the question would have. */
export type AnswerForm = (sentence: string) => boolean;

const NUMBER_WORD =
  'two three four five six seven eight nine ten hundred thousand million billion half dozen dos tres cuatro cinco seis siete ocho nueve diez cien mil millones mitad quatre cinc sis set vuit deu cent milions meitat bi hiru lau bost sei zazpi zortzi bederatzi hamar ehun';
const NUMBER = new RegExp(`\\d|\\b(?:${NUMBER_WORD.replaceAll(' ', '|')})\\b`);
const MONTH =
  'january february march april june july august september october november december enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre gener febrer marc maig juny juliol agost setembre octubre novembre desembre urtarril otsail martxo apiril maiatz ekain uztail abuztu irail urri azaro abendu';
const DATE = new RegExp(
  `\\b[12]\\d{3}|\\b(?:${MONTH.replaceAll(' ', '|')})|\\b(?:century|siglo|segle|mende)\\b|\\d0s\\b`,
);
const DEFINES =
  /\b(?:is|are|was|means?|refers? to|consists? of|defined|called|es|son|significa|consiste|define|llama|consisteix|anomena|defineix|esan nahi|da|dira)\b/;

/** Question patterns over folded text, and what they ask for. The first that fits counts. */
const KINDS: readonly (readonly [RegExp, (question: string) => AnswerForm])[] = [
  [
    /^(?:when|(?:in |on )?(?:what|which) (?:year|date|day|century|month|decade)|(?:desde )?cuando|en que (?:ano|siglo|fecha|mes)|quan |(?:en )?quin (?:any|segle|dia)|noiz)/,
    () => (sentence) => DATE.test(folded(sentence)),
  ],
  [
    /^(?:(?:about |by )?how (?:many|much|long|far|old|large|big|often|fast|tall|high)|(?:what|which) (?:percentage|percent|number|amount|proportion)|cuant[oa]s?|(?:que|cual es el) (?:porcentaje|cantidad|numero)|quant[as]?s?\b|zenbat)/,
    () => (sentence) => NUMBER.test(folded(sentence)),
  ],
  [/^(?:who|whom|whose|quien|quienes|qui |nor |nork )/, (question) => (sentence) => hasNewName(sentence, question)],
  [
    /^(?:what (?:is|are) (?:an? |the )?\S+(?: \S+)?$|define|what does \S+(?: \S+)? mean|que (?:es|son|significa)|que (?:es|son) |zer da)/,
    () => (sentence) => DEFINES.test(folded(sentence)),
  ],
  [
    /^(?:list|name (?:the|some|all)|which (?:of the )?\S+s\b|what (?:are|were) the (?:types|kinds|steps|parts|causes|main)|(?:enumera|cuales son)|quins son|zeintzuk)/,
    () => (sentence) => (sentence.match(/[,;]/g) ?? []).length >= 2,
  ],
];

/** The form of an answer to this question; null when the question does not tell. */
export function answerFormOf(question: string): AnswerForm | null {
  const asked = folded(question)
    .replace(/[¿?¡!.]/g, '')
    .trim();
  return KINDS.find(([pattern]) => pattern.test(asked))?.[1](question) ?? null;
}

/** A capitalised word inside the sentence that the question does not have. */
function hasNewName(sentence: string, question: string): boolean {
  const known = new Set(wordsOf(question));
  return [...sentence.matchAll(/\p{Lu}[\p{L}'-]+/gu)].some(
    (name) => name.index > 0 && wordsOf(name[0]).some((word) => !known.has(word)),
  );
}
