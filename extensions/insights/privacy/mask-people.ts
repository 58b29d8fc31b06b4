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
