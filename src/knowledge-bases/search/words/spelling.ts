import { distance } from 'fastest-levenshtein';

/** Shorter words have too many neighbours; longer ones would give too many candidates. */
const LEAST = 4;
const MOST = 20;
/** A word this long may have two errors. */
const LONG = 8;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Least word length for correcting each kind of error: a short word with another letter is usually another word. */
const LEAST_FOR = { left_out: 5, added: 5, replaced: 6 } as const;

/** Whether a folded word is one that can be corrected. */
export const isCorrectable = (word: string): boolean =>
  word.length >= LEAST && word.length <= MOST && /^[a-z]+$/.test(word);

/** Undoes the most frequent typing errors: swapped letters, a letter too many in a pair, or one too few. */
function* slips(word: string): Generator<string> {
  for (let at = 0; at < word.length; at++) {
    const [head, letter, tail] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
    if (letter === tail.charAt(0)) yield head + tail;
    else if (tail !== '') yield head + tail.charAt(0) + letter + tail.slice(1);
    yield head + letter + letter + tail;
  }
}

function* otherErrors(word: string): Generator<string> {
  for (let at = 0; at <= word.length; at++) {
    const [head, tail] = [word.slice(0, at), word.slice(at)];
    if (tail !== '' && word.length >= LEAST_FOR.added) yield head + tail.slice(1);
    for (const letter of LETTERS) {
      if (word.length >= LEAST_FOR.left_out) yield head + letter + tail;
      if (tail !== '' && word.length >= LEAST_FOR.replaced) yield head + letter + tail.slice(1);
    }
  }
}

/** Candidates for a word with one of the most frequent typing errors. */
export const slipsOf = (word: string): string[] => [...slips(word)];

/** All candidates for a word with one error: at most some 1,100, whatever the size of the vocabulary. */
export const candidatesFor = (word: string): string[] => {
  const all = new Set([...slips(word), ...otherErrors(word)]);
  all.delete(word);
  return [...all];
};

/** Prefix of the words that are compared with a long word, for two errors; null for a short word. */
export const neighbourhoodOf = (word: string): string | null => (word.length < LONG ? null : word.slice(0, 3));

/** Whether a stem is the beginning of a long word with at most two errors. */
export function isNearStem(word: string, stem: string): boolean {
  if (stem.length < LONG - 2 || stem.length > word.length + 2) return false;
  return [0, 1, 2].some((more) => distance(word.slice(0, stem.length + more), stem) <= 2);
}

/** Sequences of three letters, as PostgreSQL's pg_trgm has them: two blanks before the word and one behind. */
function trigramsOf(word: string): ReadonlySet<string> {
  const padded = `  ${word} `;
  return new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)));
}

/** Share of common trigrams, 0..1. */
export function trigramSimilarity(a: string, b: string): number {
  const [left, right] = [trigramsOf(a), trigramsOf(b)];
  const common = [...left].filter((trigram) => right.has(trigram)).length;
  return common / (left.size + right.size - common);
}
