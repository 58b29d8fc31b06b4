import { atMost, foldedText } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { distance } from 'fastest-levenshtein';
import { LRUCache } from 'lru-cache';
import { type KnownWord, SpellingRepository, type Vocabulary } from '../../search/spelling.repository';
import { camelParts, quotedPhrases } from '../../search/searchable-text';

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
const slipsOf = (word: string): string[] => [...slips(word)];

/** All candidates for a word with one error: at most some 1,100, whatever the size of the vocabulary. */
export const candidatesFor = (word: string): string[] => {
  const all = new Set([...slips(word), ...otherErrors(word)]);
  all.delete(word);
  return [...all];
};

/** Prefix of the words that are compared with a long word, for two errors; null for a short word. */
const neighbourhoodOf = (word: string): string | null => (word.length < LONG ? null : word.slice(0, 3));

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

/** A word of the question and the word of the material that was searched for instead. */
export interface Correction {
  readonly from: string;
  readonly to: string;
  /** Other words with the same stem that may be meant. */
  readonly like: readonly string[];
}

/** Most words that are corrected in one question: each takes some hundred look-ups. */
const MOST_WORDS = 4;
/** Least similarity of a word with two errors to a stem. */
const LEAST_SIMILARITY = 0.3;
const WORD = /\p{L}+/gu;

interface Suspect {
  readonly word: string;
  readonly folded: string;
}

interface Candidates {
  readonly folded: string;
  readonly candidates: readonly string[];
}

const REMEMBERED = 2_000;

/** Replaces words that the material does not have by the nearest words of the material. */
@Injectable()
export class SpellingCorrector {
  /** The same words are unknown in question after question. */
  private readonly remembered = new LRUCache<string, readonly (Near | null)[]>(atMost(REMEMBERED));

  constructor(private readonly words: SpellingRepository) {}

  /** `unknown`: stems that no passage has; null when nothing was found at all. */
  async correct(
    vocabulary: Vocabulary,
    question: string,
    unknown: readonly string[] | null,
  ): Promise<readonly Correction[]> {
    const strange = strangeWords(question, unknown);
    const compounds = strange.flatMap((word) => {
      const parts = camelParts(word);
      return parts.length > 1 ? [{ from: word, to: parts.join(' '), like: [] }] : [];
    });
    const suspects = strange.filter((word) => camelParts(word).length < 2).flatMap(suspectOf);
    const chosen = suspects.sort((a, b) => b.folded.length - a.folded.length).slice(0, MOST_WORDS);
    if (chosen.length === 0) return compounds;
    const nearest = await this.nearestOf(
      vocabulary,
      chosen.map(({ folded }) => folded),
    );
    const corrections = chosen.flatMap(({ word }, at) => {
      const near = nearest[at] ?? null;
      return near === null ? [] : [{ from: word, ...near }];
    });
    return [...compounds, ...corrections];
  }

  /** The nearest word of the vocabulary to each folded word. */
  private async nearestOf(vocabulary: Vocabulary, words: readonly string[]): Promise<readonly (Near | null)[]> {
    const key = JSON.stringify([vocabulary, words]);
    const remembered = this.remembered.get(key);
    if (remembered !== undefined) return remembered;
    const candidates = words.map(candidatesFor);
    const beginnings = words.flatMap((word) => neighbourhoodOf(word) ?? []);
    const known = await this.words.known(vocabulary, candidates.flat(), beginnings);
    let first = 1;
    const found = words.map((folded, at) => {
      const own = candidates[at] ?? [];
      const near = nearest({ folded, candidates: own }, first, known);
      first += own.length;
      return near;
    });
    this.remembered.set(key, found);
    return found;
  }
}

/** The question with its corrections. */
export const corrected = (question: string, corrections: readonly Correction[]): string =>
  question.replace(WORD, (word) => corrections.find(({ from }) => from === word)?.to ?? word);

/** Words of the question that the material may not have. Quoted words are left out: they are meant as written. */
function strangeWords(question: string, unknown: readonly string[] | null): string[] {
  const quoted = new Set(quotedPhrases(question).flatMap((phrase) => phrase.trim().split(' ')));
  return [...new Set(question.match(WORD) ?? [])].filter((word) => {
    const folded = foldedText(word).toLowerCase();
    return !quoted.has(folded) && (unknown === null || unknown.some((stem) => mayHaveStem(folded, stem)));
  });
}

/** Letters at the end of a word that a stemmer may change. */
const CHANGED_BY_STEMMER = 2;

function mayHaveStem(word: string, stem: string): boolean {
  const least = Math.min(word.length, stem.length) - CHANGED_BY_STEMMER;
  return stem.length <= word.length + 1 && least > 0 && word.startsWith(stem.slice(0, least));
}

function suspectOf(word: string): Suspect[] {
  const folded = foldedText(word).toLowerCase();
  return isCorrectable(folded) ? [{ word, folded }] : [];
}

type Near = Pick<Correction, 'to' | 'like'>;

/** The nearest known word at a distance of one error; else the nearest known stem, at two errors. */
const nearest = (suspect: Candidates, first: number, known: readonly KnownWord[]): Near | null =>
  nearestWord(suspect, first, known) ?? nearestStem(suspect, known);

interface Ranked {
  readonly text: string;
  readonly rank: number;
  readonly df: number;
  readonly like: readonly string[];
}

const byRank = (a: Ranked, b: Ranked): number => b.rank - a.rank || b.df - a.df;

function nearestWord({ folded, candidates }: Candidates, first: number, known: readonly KnownWord[]): Near | null {
  const slips = new Set(slipsOf(folded));
  const rank = (text: string): number => Number(slips.has(text)) + trigramSimilarity(folded, text);
  const [best] = known
    .flatMap(({ positions, df }): Ranked[] => {
      const like = (positions ?? []).flatMap((position) => candidates[position - first] ?? []);
      return like.map((text) => ({ text, df, like, rank: rank(text) }));
    })
    .sort(byRank);
  return best === undefined ? null : { to: best.text, like: best.like };
}

function nearestStem({ folded }: Candidates, known: readonly KnownWord[]): Near | null {
  const [best] = known
    .filter(({ positions, term }) => positions === null && isNearStem(folded, term))
    .map(({ term, df }): Ranked => ({
      text: term,
      df,
      like: [],
      rank: trigramSimilarity(folded.slice(0, term.length), term),
    }))
    .filter(({ rank }) => rank >= LEAST_SIMILARITY)
    .sort(byRank);
  return best === undefined ? null : { to: best.text, like: [] };
}

/** Corrections whose word occurs in a passage. The vocabulary holds stems only, and different words can share a stem. */
export function provenBy(corrections: readonly Correction[], passages: readonly string[]): readonly Correction[] {
  const words = wordsOf(passages);
  return corrections.filter(({ to, like }) => {
    const meant = [...to.split(' '), ...like];
    if (meant.some((word) => words.has(word))) return true;
    return like.length === 0 && [...words.keys()].some((word) => word.startsWith(to));
  });
}

/** The words of passages by their folded form. */
function wordsOf(passages: readonly string[]): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  for (const word of passages.join(' ').match(WORD) ?? []) {
    const folded = foldedText(word).toLowerCase();
    if (!words.has(folded)) words.set(folded, word.toLowerCase());
  }
  return words;
}

/** The corrections, spelt as in the passages that they found: candidates have no accents, and stems are not words. */
export function spelt(corrections: readonly Correction[], passages: readonly string[]): readonly Correction[] {
  const words = wordsOf(passages);
  return corrections.map((correction) => ({ ...correction, to: wordFor(correction, words) }));
}

function wordFor({ from, to, like }: Correction, words: ReadonlyMap<string, string>): string {
  const known = [to, ...like].find((each) => words.has(each));
  if (known !== undefined) return words.get(known) ?? to;
  if (like.length > 0 || to.includes(' ')) return to;
  const folded = foldedText(from).toLowerCase();
  const near = [...words.keys()].filter((word) => word.startsWith(to));
  const [best] = near.sort((a, b) => trigramSimilarity(b, folded) - trigramSimilarity(a, folded));
  return best === undefined ? to : (words.get(best) ?? to);
}
