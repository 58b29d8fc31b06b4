import { setImmediate as nextTurn } from 'node:timers/promises';
import { atMost } from '@bellwether/kernel';
import { LRUCache } from 'lru-cache';
import type { QuestionWord } from './rank-resident';
import { searchableQuestion, withoutStopWords } from './searchable-text';

/** The stems of wordings: configurations, texts, and configurations that the texts are written in. */
export type AskStems = (
  configurations: readonly string[],
  wordings: readonly string[],
  spoken: readonly string[],
) => Promise<readonly QuestionWord[]>;

type Stem = Omit<QuestionWord, 'number'>;

const REMEMBERED = 20_000;
/** Words of one knowledge base that are learned. */
const MOST_LEARNED = 10_000;
/** Texts that are read, and words that are asked for, in one go: other questions wait meanwhile. */
const TEXTS_AT_ONCE = 25;
const WORDS_AT_ONCE = 250;
/** A longer piece is no word: an address, or a text without blanks. */
const MOST_CHARS = 40;
/** PostgreSQL counts a word at most this often. */
const MOST_PLACES = 255;

/** Blanks of all locales. PostgreSQL decides about the others. */
const BLANKS = /[ \t\n\r\f\v]+/;
/** A word between punctuation that PostgreSQL's parser skips before and behind it. */
const WORD = /^["'([]*([\p{L}\p{M}\p{N}]+)[.,;:?!)\]"']*$/u;
/** Every configuration keeps a whole number as it stands. */
const NUMBER = /^[0-9]+$/;

/** Part of a wording, whose stems do not depend on the rest. */
interface Piece {
  readonly text: string;
  readonly configuration: string;
}

const keyOf = ({ configuration, text }: Piece): string => `${configuration} ${text}`;

/**
 * Stems of words that were asked for before. PostgreSQL stems words one by one, so only unknown words are asked for, all in
 * one statement. It takes a wording whole when a word's stem depends on others: in a foreign language, or with a tag, which
 * may contain blanks.
 */
export class QuestionStems {
  private readonly known = new LRUCache<string, readonly Stem[]>(atMost(REMEMBERED));

  constructor(private readonly ask: AskStems) {}

  /** Words of each wording, those of equal rarity in the order in which `BM25_QUERY` takes them. */
  async words(...[configurations, wordings, spoken]: Parameters<AskStems>): Promise<QuestionWord[]> {
    const pieces = wordings.map((text, at) => {
      const configuration = configurations[at] ?? '';
      return spoken[at] === configuration ? piecesOf(text, configuration) : null;
    });
    const stems = await this.stemsOf(pieces.flatMap((each) => each ?? []));
    const whole = [...wordings.keys()].filter((at) => pieces[at] === null);
    const asked = await this.askWhole(whole, [configurations, wordings, spoken]);
    return pieces.flatMap((each, at) =>
      each === null
        ? asked.flatMap((word) => (whole[word.number - 1] === at ? [{ ...word, number: at + 1 }] : []))
        : counted(each, stems, at + 1),
    );
  }

  /** Asks for the words of texts before a question has them. */
  async learn(configuration: string, texts: readonly string[]): Promise<void> {
    const unknown = new Map<string, Piece>();
    for (let at = 0; at < texts.length && unknown.size < MOST_LEARNED; at += TEXTS_AT_ONCE) {
      for (const text of texts.slice(at, at + TEXTS_AT_ONCE)) {
        const words = wordsOf(withoutStopWords(configuration, searchableQuestion(text)));
        for (const word of words.filter(isShort).flatMap((each) => [each, each.toLowerCase()])) {
          const piece = { text: word, configuration };
          if (!this.known.has(keyOf(piece))) unknown.set(keyOf(piece), piece);
        }
      }
      await nextTurn();
    }
    const asked = [...unknown.values()].slice(0, MOST_LEARNED);
    for (let at = 0; at < asked.length; at += WORDS_AT_ONCE) await this.stemsOf(asked.slice(at, at + WORDS_AT_ONCE));
  }

  private async askWhole(places: readonly number[], wordings: Parameters<AskStems>): Promise<readonly QuestionWord[]> {
    if (places.length === 0) return [];
    const of = (list: readonly string[]): string[] => places.map((place) => list[place] ?? '');
    return this.ask(of(wordings[0]), of(wordings[1]), of(wordings[2]));
  }

  /** Stems by key of the piece. */
  private async stemsOf(pieces: readonly Piece[]): Promise<ReadonlyMap<string, readonly Stem[]>> {
    const stems = new Map<string, readonly Stem[]>();
    const unknown = new Map<string, Piece>();
    for (const piece of pieces) {
      const key = keyOf(piece);
      const known = NUMBER.test(piece.text) ? [{ term: piece.text, qtf: 1 }] : this.known.get(key);
      if (known === undefined) unknown.set(key, piece);
      else stems.set(key, known);
    }
    if (unknown.size === 0) return stems;
    const asked = [...unknown.values()];
    const configurations = asked.map(({ configuration }) => configuration);
    const texts = asked.map(({ text }) => text);
    const found: Stem[][] = asked.map(() => []);
    for (const { number, ...stem } of await this.ask(configurations, texts, configurations)) {
      found[number - 1]?.push(stem);
    }
    for (const [at, key] of [...unknown.keys()].entries()) {
      const own = found[at] ?? [];
      this.known.set(key, own);
      stems.set(key, own);
    }
    return stems;
  }
}

const wordsOf = (text: string): string[] => {
  const pieces = text.split(BLANKS).filter((piece) => piece !== '');
  return pieces.map((piece) => WORD.exec(piece)?.[1] ?? piece);
};

const isShort = (word: string): boolean => word.length <= MOST_CHARS && !word.includes('<');

/** Null for a text that PostgreSQL must see whole. */
function piecesOf(text: string, configuration: string): Piece[] | null {
  const words = wordsOf(text);
  return words.every(isShort) ? words.map((word) => ({ text: word, configuration })) : null;
}

/** The words of a wording, counted, in the order of `COLLATE "C"`. */
function counted(
  pieces: readonly Piece[],
  stems: ReadonlyMap<string, readonly Stem[]>,
  number: number,
): QuestionWord[] {
  const frequencies = new Map<string, number>();
  for (const piece of pieces) {
    for (const { term, qtf } of stems.get(keyOf(piece)) ?? []) {
      frequencies.set(term, Math.min(MOST_PLACES, (frequencies.get(term) ?? 0) + qtf));
    }
  }
  return [...frequencies]
    .map(([term, qtf]) => ({ number, term, qtf }))
    .sort((a, b) => (a.term < b.term ? -1 : Number(a.term > b.term)));
}
