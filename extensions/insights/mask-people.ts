/** A figure or a list about fewer people, but not nobody, is never told. */
export const LEAST_PEOPLE = 5;

/** A number of questions, and the people who asked them. */
export class QuestionCount {
  questions = 0;
  readonly people = new Set<string>();

  add(userId: string, questions = 1): void {
    this.questions += questions;
    this.people.add(userId);
  }

  get isTold(): boolean {
    return this.people.size === 0 || this.people.size >= LEAST_PEOPLE;
  }

  /** Null when it is about too few people. */
  get told(): number | null {
    return this.isTold ? this.questions : null;
  }
}

export const countOf = (askers: Iterable<string>): QuestionCount => {
  const count = new QuestionCount();
  for (const userId of askers) count.add(userId);
  return count;
};

export const areEnough = (people: ReadonlySet<string>): boolean => people.size >= LEAST_PEOPLE;

/**
 * The parts of a sum that is told, null for hidden ones. The sum tells what all hidden parts have together. So while
 * these are of too few people, the next smallest part is hidden, too.
 */
export function toldParts(parts: readonly QuestionCount[]): (number | null)[] {
  const hidden = new Set(parts.filter(({ isTold }) => !isTold));
  const people = new Set([...hidden].flatMap((part) => [...part.people]));
  const shown = parts.filter((part) => !hidden.has(part) && part.questions > 0);
  shown.sort((one, other) => one.people.size - other.people.size || one.questions - other.questions);
  for (const part of shown) {
    if (people.size === 0 || areEnough(people)) break;
    hidden.add(part);
    for (const person of part.people) people.add(person);
  }
  return parts.map((part) => (hidden.has(part) ? null : part.questions));
}

/** Person and time of one question. */
export interface Asker {
  readonly runId: string;
  readonly userId: string;
  readonly time: number;
}

/**
 * The first question of a period, null for none. All questions, oldest first, are cut into blocks of five people. A
 * period begins with a block: the rest of one that began earlier is left out. So the difference between two periods is
 * of whole blocks, and nobody learns what one person asked by choosing one day more. `askers` must be the same for
 * every period.
 */
export function periodStart(askers: readonly Asker[], isWithin: (time: number) => boolean): string | null {
  let people = new Set<string>();
  for (const { runId, userId, time } of askers) {
    if (people.size === 0 && isWithin(time)) return runId;
    people.add(userId);
    if (areEnough(people)) people = new Set();
  }
  return null;
}

/** A person as the organization knows them. */
export interface KnownPerson {
  readonly name: string | null;
  readonly email: string | null;
}

export const MASK = '…';
/** Shorter parts of a name are words of many languages. */
const LEAST_LETTERS = 3;
/** Parts of names that name nobody, and stand in most questions of their languages. */
const PARTICLES: ReadonlySet<string> = new Set('das del dels den der des dos las les los und van von zur'.split(' '));

const ADDRESS = /(?<![\p{L}\p{N}._%+'-])[\p{L}\p{N}._%+'-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*/gu;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Stored questions are cut, perhaps inside of a name. */
const CUT = '...';
const MASKS = /…(?:[\s,.'-]*…)+/gu;

const folded = (word: string): string =>
  word
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
const wordsOf = (text: string | null): string[] => (text?.match(WORD) ?? []).map(folded);

/**
 * Removes people from their questions: e-mail addresses; the parts of the asker's own name; and the whole names of all
 * askers. A part of another person's name stays, because many names are words: Mark, Rosa, Iker.
 */
export class PeopleMask {
  private readonly parts = new Map<string, ReadonlySet<string>>();
  /** Whole names as words, by the first word. */
  private readonly names = new Map<string, (readonly string[])[]>();

  constructor(people: ReadonlyMap<string, KnownPerson>) {
    for (const [id, { name }] of people) {
      const words = wordsOf(name);
      this.parts.set(id, new Set(words.filter((word) => word.length >= LEAST_LETTERS && !PARTICLES.has(word))));
      const [first] = words;
      if (first !== undefined && words.length > 1) this.names.set(first, [...(this.names.get(first) ?? []), words]);
    }
  }

  /** The text of one asker without people. */
  mask(text: string, userId: string): string {
    const plain = text.replaceAll(ADDRESS, MASK);
    const found = [...plain.matchAll(WORD)].map(({ 0: word, index }) => ({ word, index, folded: folded(word) }));
    const cutAt = plain.endsWith(CUT) ? found.length - 1 : -1;
    const stands = (part: string, at: number): boolean => {
      const word = found[at]?.folded ?? '';
      return word === part || (at === cutAt && word.length >= LEAST_LETTERS && part.startsWith(word));
    };
    const own = [...(this.parts.get(userId) ?? [])];
    const hidden = new Set<number>();
    found.forEach((each, at) => {
      if (own.some((part) => stands(part, at))) hidden.add(at);
      for (const name of this.names.get(each.folded) ?? []) {
        if (name.every((part, offset) => stands(part, at + offset)))
          name.forEach((_, offset) => hidden.add(at + offset));
      }
    });
    if (hidden.size === 0) return plain;
    let masked = '';
    let end = 0;
    found.forEach(({ word, index }, at) => {
      if (!hidden.has(at)) return;
      masked += plain.slice(end, index) + MASK;
      end = index + word.length;
    });
    return (masked + plain.slice(end)).replaceAll(MASKS, MASK);
  }
}
