import type { Decomposition, QueryType, SubQuery } from './planning.types';
import { termsOf, wordsOf } from './tool-profile';

const PASSAGES = 3;
const PASSAGE_CHARS = 1_500;
const MOST_WORDS = 6;
const SHORTEST = 4;
/** Score of a name: a later search needs names more often than other words. */
const NAME = 2;
const LEAST = 2;

interface Count {
  readonly word: string;
  readonly at: number;
  score: number;
}

/**
 * Adds frequent words of the passages of an earlier search to a question, names first (pseudo-relevance feedback). So
 * "who taught its author" is searched for with the author's name.
 */
export function withFoundWords(question: string, passages: readonly string[]): string {
  const known = new Set(termsOf(question).map(({ stem }) => stem));
  const counts = new Map<string, Count>();
  for (const passage of passages.slice(0, PASSAGES)) {
    for (const [spelt, isName] of spellings(passage.slice(0, PASSAGE_CHARS))) {
      const [term, ...others] = termsOf(spelt);
      if (term === undefined || others.length > 0 || term.weight < 1 || term.word.length < SHORTEST) continue;
      if (known.has(term.stem)) continue;
      const count = counts.get(term.stem) ?? { word: spelt, at: counts.size, score: 0 };
      counts.set(term.stem, count);
      count.score += isName ? NAME : 1;
    }
  }
  const found = [...counts.values()]
    .filter(({ score }) => score >= LEAST)
    .sort((one, other) => other.score - one.score || one.at - other.at)
    .slice(0, MOST_WORDS);
  return [question, ...found.map(({ word }) => word)].join(' ');
}

/** Words as spelt; a name begins with a capital and does not begin a sentence. */
function* spellings(text: string): Generator<readonly [word: string, isName: boolean]> {
  let inSentence = false;
  for (const [piece] of text.matchAll(/\p{L}[\p{L}\p{M}]*|[.!?:\n]/gu)) {
    if (/^[.!?:\n]$/.test(piece)) {
      inSentence = false;
      continue;
    }
    yield [piece, inSentence && /^\p{Lu}\p{Ll}/u.test(piece) && wordsOf(piece).length === 1];
    inSentence = true;
  }
}

const LETTER = String.raw`[\p{L}\p{M}\p{N}_]`;
const EDGE = `(?:(?<!${LETTER})(?=${LETTER})|(?<=${LETTER})(?!${LETTER}))`;

/** Replaces `\b` by a word boundary for all scripts: JavaScript's own knows ASCII letters only. */
const wordEdges = ({ source, flags }: RegExp): RegExp => new RegExp(source.replaceAll('\\b', EDGE), flags);

const MAX_PARTS = 6;
const MAX_ITEM_WORDS = 12;
/** Longer texts are not split: cue words in them mean little. */
const MAX_CHARS = 2_000;

/** Cues in English, Spanish, Catalan and Basque. */
const SMALLTALK =
  /^[\s¡¿]*(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening|night)|thanks?|thank you|thx|ok(?:ay)?|great|perfect|bye|goodbye|cheers|how are you|hola|buenas|buenos d[ií]as|buenas (?:tardes|noches)|gracias|vale|adi[oó]s|bon dia|bona (?:tarda|nit)|gr[aà]cies|merci|d'acord|ad[eé]u|kaixo|egun on|eskerrik asko|agur)(?:[\s,!.]+(?:there|you|all|so much|very much|a lot|again|everyone|muchas|moltes|todos|tothom|asko))*[\s!.?…]*$/iu;
const BETWEEN = wordEdges(
  /\b(?:differences?|similarities|relations?(?:hip)?|comparison|diferencias?|semejanzas|difer[eè]ncies|difer[eè]ncia|comparaci[oó]n?) (?:between|entre) (.+?) (?:and|y|e|i) (.+)$/iu,
);
const COMPARE = wordEdges(
  /\b(?:compare|contrast|compara|comparar|contrasta) (.+?) (?:and|with|to|against|y|con|i|amb) (.+)$/iu,
);
const VERSUS = /^(.+?) (?:vs\.?|versus|compared (?:to|with)|frente a|en comparaci[oó]n con|comparat amb) (.+)$/iu;
const BETTER = wordEdges(
  /\b(?:which|what|cu[aá]l|quin|quina)\b.{0,200}\b(?:better|best|faster|cheaper|larger|mejor|millor)\b[,:]? (.+?) (?:or|o) (.+)$/iu,
);
const LIST_BUILDING = wordEdges(
  /\b(?:build|create|make|plan|design|prepare|put together|draw up|compile|crea|haz|dise[nñ]a|prepara|elabora|fes|dissenya)\b.{0,60}\b(?:list|plan|schedule|timetable|programme|syllabus|outline|itinerary|checklist|lista|horario|temario|gui[oó]n|llista|horari|temari|pla)\b/iu,
);
/** "Can my group hand in the report in week 3?": a subject and its action, then the circumstance. */
const ALLOWED = wordEdges(
  /^[\s¡¿]*(?:can|may|must|should|puedo|puede|pueden|podemos|puc|pot|poden|podem|dezaket|daiteke)\s+(?!you\b|usted\b|vost[eè]\b)(?:(?:i|we|my|our|the|an?|mis?|nuestr[oa]s?|el|la|los|las|els|les|una?)\s+)?(\S.{3,80}?)\s+((?:during|before|after|until|within|without|if|when|while|unless|durante|antes|despu[eé]s|sin|si|cuando|durant|abans|despr[eé]s|sense|quan)\b.{2,80}|(?:(?:in|on|at|by|en|a|al)\s+)?\p{L}+\s+\d+\p{L}*)[\s?]*$/iu,
);
/** The subject of a list: "a list of …", "a plan for …". */
const PURPOSE = wordEdges(/\b(?:for|about|on|from|of|para|sobre|per a|per|de)\s+(.{3,80})$/iu);
const MAKE = wordEdges(
  /^.{0,40}?\b(?:build|create|make|plan|design|prepare|put together|draw up|compile|crea|haz|dise[nñ]a|prepara|elabora|fes|dissenya)\b\s+(?:me\s+)?(?:an?\s+|una?\s+)?/iu,
);
const EXACT = wordEdges(
  /["“«][^"“”«»]{2,}["”»]|\b[A-Z]{2,}[-_ ]?\d{2,}\b|\b(?:section|chapter|page|article|exercise|figure|table|unit|secci[oó]n?|cap[ií]tulo|cap[ií]tol|p[aá]gina|p[aà]gina|art[ií]culo|article|ejercicio|exercici|figura|tabla|taula|tema)\s+\d+(?:\.\d+)*\b/u,
);
/** Beginnings of a part that depends on the part before it. */
const THEN = wordEdges(
  /^(?:and\s+)?(?:then|after that|afterwards|next|finally|lastly|once (?:that|done)|luego|despu[eé]s|finalmente|despr[eé]s|finalment|ondoren)\b[,:]?\s*/iu,
);
/** Words that refer to the answer of an earlier part. */
const REFERS_BACK = wordEdges(
  /\b(?:it|its|them|they|their|this|these|that|those|result|results|answer|the same|based on|using (?:the|that|this)|from (?:the|that|this)|ello|eso|esto|resultado|aix[oò]|resultat|hori)\b/iu,
);
/** Something that was mentioned before: an article and up to two words. */
const THE = wordEdges(/\b(?:the|this|that|these|those|el|la|los|las|els|les)\s+\p{L}+(?:\s+\p{L}+)?/giu);
const RELATIVE = wordEdges(
  /\b(?:who|what|which|when|where|qui[eé]n|cu[aá]l|qui|quin)\b.{3,80}?\b(?:of|by|in|from|for|de|del|per) (?:the |el |la |l')?(\S.{2,59}?) (?:that|which|who|whose|where|que) (.{3,80})$/iu,
);
const SPLIT = wordEdges(
  /(?<=[.?!;]) |[,;]? (?=(?:and )?(?:then|after that|afterwards|finally|luego|despu[eé]s|finalmente|despr[eé]s|finalment)\b)| ?, ?(?:and )?(?=(?:find|get|give|show|tell|list|calculate|compute|explain|describe|summari[sz]e|search|look|check|compare|define|translate|convert|create|write|send|generate|analy[sz]e|recommend|suggest|retrieve|provide|determine|identify|busca|dame|explica|calcula) )| and (?=(?:find|get|give|show|tell|list|calculate|compute|explain|describe|summari[sz]e|search|look|check|compare|define|translate|convert|create|write|send|generate|analy[sz]e|recommend|suggest|retrieve|provide|determine|identify|busca|dame|explica|calcula) )/iu,
);

const REQUEST = wordEdges(
  /^[\s¡¿]*(?:and |also |please |can you |could you |i (?:need|want|would like) )*(?:what|who|when|where|which|why|how|is|are|does|do|did|find|get|give|show|tell|list|calculate|compute|explain|describe|summari[sz]e|search|look|check|compare|define|translate|convert|create|write|send|generate|analy[sz]e|recommend|suggest|retrieve|provide|determine|identify|qu[eéè]|qui[eé]n|cu[aá]l|d[oó]nde|c[oó]mo|por qu[eé]|per qu[eè]|busca|dame|explica|calcula|mu[eé]stra|com|quin|quina|on|troba|zer|nola)\b/iu,
);

/**
 * Splits a question into sub-queries by cue words. Without clear cues it stays one question. `confidence` tells how clear
 * the cues were.
 */
export function decompose(question: string): Decomposition {
  const text = question.replace(/\s+/g, ' ').trim();
  if (text.length > MAX_CHARS) return whole(text, 'simple', 0.4);
  if (text === '' || SMALLTALK.test(text)) return whole(text, 'smalltalk', 0.9);
  return comparison(text) ?? sequence(text) ?? hop(text) ?? condition(text) ?? list(text) ?? single(text);
}

function single(text: string): Decomposition {
  if (EXACT.test(text)) return whole(text, 'exact', 0.8);
  return whole(text, 'simple', wordsIn(text) > 60 ? 0.5 : 0.8);
}

function comparison(text: string): Decomposition | null {
  const found = BETWEEN.exec(text) ?? COMPARE.exec(text) ?? VERSUS.exec(text) ?? BETTER.exec(text);
  if (found === null) return null;
  const items = [found[1] ?? '', found[2] ?? ''].flatMap((item) => item.split(',')).map(bare);
  const fit = items.filter((item) => item !== '' && wordsIn(item) <= MAX_ITEM_WORDS).slice(0, MAX_PARTS);
  if (fit.length < 2 || fit.length < items.length) return whole(text, 'comparison', 0.4);
  return { type: 'comparison', sub_queries: fit.map((item, at) => sub(at, item)), confidence: 0.85 };
}

function sequence(text: string): Decomposition | null {
  const parts = text
    .split(SPLIT)
    .map((part) => part.trim())
    .filter((part) => wordsIn(part) > 1 && !SMALLTALK.test(part));
  const asking = parts.filter((part, at) => isRequest(part) || (at > 0 && THEN.test(part)));
  if (asking.length < 2) return null;
  const parted = asking.slice(0, MAX_PARTS).map((part, at): SubQuery => {
    const text = part.replace(THEN, '');
    const before = at === 0 ? -1 : meantBy(text, asking.slice(0, at));
    return sub(at, text, before < 0 ? [] : [`q${before + 1}`]);
  });
  const linked = parted.some(({ dependencies }) => dependencies.length > 0);
  const confidence = asking.length > MAX_PARTS || asking.length < parts.length ? 0.5 : 0.75;
  return { type: linked ? 'multi_hop' : 'multi_part', sub_queries: parted, confidence };
}

/** Position of the earlier part that this one refers to, by "it" or by "the …"; -1 for none. */
function meantBy(text: string, earlier: readonly string[]): number {
  const named = (text.match(THE) ?? []).flatMap((words) => termsOf(words)).filter(({ weight }) => weight === 1);
  const owner = earlier.findLastIndex((part) => {
    const stems = new Set(termsOf(part).map(({ stem }) => stem));
    return named.some(({ stem }) => stems.has(stem));
  });
  if (owner >= 0) return owner;
  return REFERS_BACK.test(text) ? earlier.length - 1 : -1;
}

/** "Who taught the author that wrote …": the relative clause is searched for first. */
function hop(text: string): Decomposition | null {
  const found = RELATIVE.exec(text);
  if (found === null) return null;
  const first = bare(`${found[1] ?? ''} ${found[2] ?? ''}`);
  return chain('multi_hop', first, text);
}

/** "Can my terminators deep strike turn 1?": the rule of the action is searched for first, then the whole question. */
function condition(text: string): Decomposition | null {
  const rule = ALLOWED.exec(text)?.[1];
  return rule === undefined ? null : chain('multi_hop', bare(rule), text);
}

/** "Build a list of …": the subject of the list is searched for first, then the whole question. */
function list(text: string): Decomposition | null {
  if (!LIST_BUILDING.test(text)) return null;
  const purpose = bare(PURPOSE.exec(text)?.[1] ?? text.replace(MAKE, ''));
  return purpose === '' || wordsIn(purpose) > MAX_ITEM_WORDS
    ? whole(text, 'list_building', 0.7)
    : chain('list_building', purpose, text);
}

const chain = (type: QueryType, first: string, text: string): Decomposition => ({
  type,
  sub_queries: [sub(0, first), sub(1, text, ['q1'])],
  confidence: 0.65,
});

const isRequest = (part: string): boolean => part.endsWith('?') || REQUEST.test(part);

const sub = (at: number, text: string, dependencies: readonly string[] = []): SubQuery => ({
  id: `q${at + 1}`,
  text,
  dependencies,
});

const whole = (text: string, type: QueryType, confidence: number): Decomposition => ({
  type,
  sub_queries: [sub(0, text)],
  confidence,
});

const bare = (text: string): string =>
  text
    .trim()
    .replace(/^(?:between|the|both|entre|el|la|los|las|els|les)\s+/iu, '')
    .replace(/(?<![\s?.!,;:])[\s?.!,;:]+$/u, '');

const wordsIn = (text: string): number => text.split(' ').filter((word) => word !== '').length;
