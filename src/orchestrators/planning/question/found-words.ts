import { termsOf, wordsOf } from '../selection/words';

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
