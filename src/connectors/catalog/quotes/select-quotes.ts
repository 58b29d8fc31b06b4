import type { SourcePassage } from '@bellwether/kernel';
import { type Sentence, sentencesOf } from './sentences';
import { folded, termsOf, wordsOf } from './words';

/** Words about the material itself and of requests. They say nothing about a subject of the course. */
const WORDS = `course class lesson unit chapter section page text document file slides material reading book manual lab laboratory
  paper article source assignment task sheet rubric criterion criteria topic subject theme idea point main key important
  first question answer quiz exercise summary overview say state mention cover contain talk ask give list show summarise
  summarize describe know learn study understand help begin start prepare grade graded assess one two three four five ten
  curso clase leccion unidad capitulo seccion pagina texto documento archivo diapositivas lectura libro laboratorio articulo
  fuente enunciado tarea rubrica criterio tema principal importante primer pregunta respuesta cuestionario ejercicio
  resumen dice dicen decir trata menciona contiene pide pedir hazme haz dame hacer hablar saber aprender estudiar entiendo entender
  ayuda ayudame empiezo empezar preparar evalua evaluar uno dos tres cuatro cinco diez
  curs classe llico unitat capitol seccio document fitxer diapositives llibre laboratori article font enunciat tasca criteri
  idees primera resposta questionari exercici resum diu diuen dir tracta menciona conte demana fes dona parlar saber aprendre
  estudiar entenc entendre ajuda comenco comencar preparar avalua avaluar s un quatre cinc deu
  ikastaro ikastaroko ikastaroak eskuliburu eskuliburuak naiz behar dut dugu nondik klase gai gaia gaiak unitate kapitulu kapituluko orri testu dokumentu fitxategi diapositiba irakurgai
  liburu laborategi artikulu iturri enuntziatu enuntziatuak ataza errubrika irizpide nagusi nagusiak ideia garrantzitsu
  lehen galdera erantzun galdetegi ariketa laburpen esaten dio diote aipatu eskatzen egin egidazu eman ikasi ulertzen
  jakin lagundu hasi hasiko prestatu ebaluatzen ebaluatu buruz honi horri bost hamar material materialak materiala`;

const STEMS: ReadonlySet<string> = new Set(termsOf(WORDS));

/** The terms that name a subject. None are left of "What are the main ideas of this course?". */
const withoutMaterialWords = (terms: readonly string[]): readonly string[] => terms.filter((term) => !STEMS.has(term));

/** Tests whether a sentence has the form that an answer to the question would have. */
type AnswerForm = (sentence: string) => boolean;

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
function answerFormOf(question: string): AnswerForm | null {
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

/** Sentences of one passage, as they stand there. */
export interface Quote {
  readonly text: string;
  /** Number of the source in the answer; null for material without a source. */
  readonly n: number | null;
}

/** BM25's two numbers, and the shares of a term's weight; measured on XQuAD (docs/guide/connectors.md). */
const K1 = 1.2;
const B = 0.4;
/** A term in the sentence before or after. */
const NEIGHBOUR = 0.25;
/** A term in the heading or the document's title. */
const HEADING = 0.3;
/** Share of the question that a neighbour or a heading covers. */
const NEARBY_COVER = 0.6;
const FITTING_FORM = 0.15;
/** Preference for passages that the tools ranked first. */
const RANK = 0.1;
const MOST_SENTENCES = 4;
/** Sentences that score below this share of the best one are left out. */
const WORTH_QUOTING = 0.6;
/** Below this share of the question's terms, weighted by rarity, the material has no answer. */
const LEAST_COVER = 0.4;
/** The same for the further sentences of a question, which are often requests and not questions. */
const LEAST_COVER_OF_FURTHER = 0.6;
const SAME = 0.8;
/** A sentence with fewer terms is a label or a fragment. */
const LEAST_TERMS = 3;
/** Sentences of a question that are answered; a pasted essay has many. */
const MOST_QUESTIONS = 8;
/** Sentences of the material that are looked at: a bound on time. */
const MOST_CANDIDATES = 2_000;

interface Candidate extends Sentence {
  readonly passage: number;
  readonly at: number;
  readonly n: number | null;
  readonly terms: readonly string[];
  readonly about: ReadonlySet<string>;
}

interface Scored extends Candidate {
  readonly score: number;
  readonly cover: number;
}

/** A sentence of the question with the terms that are looked for. */
interface Part {
  readonly text: string;
  readonly terms: readonly string[];
}

export interface Selection {
  readonly quotes: readonly Quote[];
  /** The question is about the material as a whole: the quotes are how it begins. */
  readonly isOpening: boolean;
}

/**
 * One to four sentences that answer the question best, best first; empty when the passages have no answer. Sentences that
 * stand side by side become one quote. A question without a subject of its own ("What is this chapter about?") gets the
 * first sentences of the material.
 */
export function selectQuotes(question: string, passages: readonly SourcePassage[]): Selection {
  const candidates = candidatesOf(passages);
  const parts = partsOf(question);
  if (candidates.length === 0 || parts.length === 0) return { quotes: [], isOpening: false };
  const quotes = answerTo(parts, candidates);
  if (quotes.length > 0) return { quotes, isOpening: false };
  const narrowed = parts.map(({ text, terms }) => ({ text, terms: withoutMaterialWords(terms) }));
  const withSubject = narrowed.filter(({ terms }) => terms.length > 0);
  if (withSubject.length === 0) return { quotes: openingOf(candidates), isOpening: true };
  return { quotes: answerTo(withSubject, candidates), isOpening: false };
}

function answerTo(parts: readonly Part[], candidates: readonly Candidate[]): readonly Quote[] {
  const answered = answeredParts(parts.map((part) => scoredFor(part, candidates)));
  if (answered.length === 0) return [];
  const scored = answered
    .reduce((best, scores) => best.map((one, at) => better(one, scores[at] ?? one)))
    .toSorted((one, other) => other.score - one.score);
  return joined(chosen(scored));
}

/** The first sentences of each source, in the order of the tools. */
function openingOf(candidates: readonly Candidate[]): readonly Quote[] {
  const sources = new Map<number, Candidate[]>();
  for (const candidate of candidates) {
    const source = candidate.n ?? -1 - candidate.passage;
    const known = sources.get(source);
    if (known === undefined) sources.set(source, [candidate]);
    else known.push(candidate);
  }
  const first = [...sources.values()].slice(0, MOST_SENTENCES);
  const each = Math.floor(MOST_SENTENCES / first.length);
  return first.flatMap((sentences) => {
    const whole = sentences.filter(({ terms }) => terms.length >= LEAST_TERMS);
    return joined((whole.length > 0 ? whole : sentences).slice(0, each));
  });
}

/** Each sentence of the question is judged by itself: "Keep it short." does not change the answers to the others. */
function answeredParts(parts: readonly (readonly Scored[])[]): readonly (readonly Scored[])[] {
  const covers = parts.map((scores) => scores.reduce((one, other) => better(one, other)).cover);
  const leading = covers.indexOf(Math.max(...covers));
  return parts.filter((_, at) => (covers[at] ?? 0) >= (at === leading ? LEAST_COVER : LEAST_COVER_OF_FURTHER));
}

/** The question's sentences with words of their own. Each may be answered by another sentence of the material. */
const partsOf = (question: string): readonly Part[] =>
  sentencesOf(question)
    .map(({ text }) => ({ text, terms: [...new Set(termsOf(text))] }))
    .filter(({ terms }) => terms.length > 0)
    .slice(0, MOST_QUESTIONS);

const better = (one: Scored, other: Scored): Scored => (other.score > one.score ? other : one);

function candidatesOf(passages: readonly SourcePassage[]): readonly Candidate[] {
  const candidates: Candidate[] = [];
  for (const [passage, { n, title, text }] of passages.entries()) {
    for (const [at, sentence] of sentencesOf(text).entries()) {
      if (candidates.length === MOST_CANDIDATES) return candidates;
      const about = new Set(termsOf(`${title} ${sentence.heading}`));
      candidates.push({ ...sentence, passage, at, n, terms: termsOf(sentence.text), about });
    }
  }
  return candidates;
}

/** BM25 over the sentences. Terms nearby count a little, for sentences such as "It has two stages." */
function scoredFor({ text: question, terms: asked }: Part, candidates: readonly Candidate[]): Scored[] {
  const mean = candidates.reduce((sum, { terms }) => sum + terms.length, 0) / candidates.length || 1;
  const having = new Map<string, number>();
  for (const { terms } of candidates) for (const term of new Set(terms)) having.set(term, (having.get(term) ?? 0) + 1);
  const rarity = (term: string): number => {
    const count = having.get(term) ?? 0;
    return Math.log(1 + (candidates.length - count + 0.5) / (count + 0.5));
  };
  const weights = asked.map((term) => [term, rarity(term)] as const);
  const whole = weights.reduce((sum, [, weight]) => sum + weight, 0) || 1;
  const fits = answerFormOf(question);
  return candidates.map((candidate, index) => {
    const { terms, about, passage, text } = candidate;
    const near = new Set(
      [candidates[index - 1], candidates[index + 1]].flatMap((other) =>
        other?.passage === passage ? other.terms : [],
      ),
    );
    const length = K1 * (1 - B + (B * terms.length) / mean);
    let score = 0;
    let cover = 0;
    for (const [term, weight] of weights) {
      const times = terms.filter((own) => own === term).length;
      const nearby = near.has(term) ? NEIGHBOUR : about.has(term) ? HEADING : 0;
      score += times > 0 ? (weight * times * (K1 + 1)) / (times + length) : weight * nearby;
      cover += times > 0 ? weight : nearby > 0 ? weight * NEARBY_COVER : 0;
    }
    const form = fits?.(text) === true ? FITTING_FORM : 0;
    return { ...candidate, score: (score / whole + form) * (1 + RANK / (1 + passage)), cover: cover / whole };
  });
}

function chosen(scored: readonly Scored[]): readonly Scored[] {
  const least = WORTH_QUOTING * (scored[0]?.score ?? 0);
  const kept: Scored[] = [];
  for (const sentence of scored) {
    if (kept.length === MOST_SENTENCES || sentence.score < least) break;
    if (!kept.some((other) => isNearlySame(sentence, other))) kept.push(sentence);
  }
  return kept;
}

function isNearlySame(one: Candidate, other: Candidate): boolean {
  if (folded(one.text) === folded(other.text)) return true;
  const [few, many] = [new Set(one.terms), new Set(other.terms)].sort((a, b) => a.size - b.size);
  if (few === undefined || many === undefined || few.size < 3) return false;
  return [...few].filter((term) => many.has(term)).length / few.size > SAME;
}

/** Neighbours join in the place of the better one. */
function joined(sentences: readonly Candidate[]): readonly Quote[] {
  const groups: Candidate[][] = [];
  for (const sentence of sentences) {
    const beside = groups.find((group) => group.some((other) => isBeside(sentence, other)));
    if (beside === undefined) groups.push([sentence]);
    else beside.push(sentence);
  }
  return groups.map((group) => {
    group.sort((one, other) => one.at - other.at);
    return { text: group.map(({ text }) => text).join(' '), n: group[0]?.n ?? null };
  });
}

function isBeside(one: Candidate, other: Candidate): boolean {
  if (one.passage !== other.passage || Math.abs(one.at - other.at) !== 1) return false;
  return (one.at > other.at ? one : other).follows;
}
