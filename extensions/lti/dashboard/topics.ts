import { termsOf } from '../../../src/orchestrators/planning';

export interface TopicQuestion {
  readonly userId: string;
  readonly text: string;
}

export interface Topic {
  /** A word, or two that belong together, as most people wrote it. */
  readonly words: string;
  readonly questions: number;
  readonly people: number;
}

interface Count {
  readonly spellings: Map<string, number>;
  readonly questions: Set<number>;
  readonly people: Set<string>;
}

interface Word {
  readonly spelling: string;
  readonly stem: string;
}

/** Two words are one topic when they hold most questions of the first. */
const TOGETHER = 0.6;
const LEAST_LETTERS = 3;

/**
 * Frequent subjects of questions, the most frequent first. A subject of fewer than `least` people is left out, so that it
 * tells of no single one.
 */
export function topicsOf(
  questions: readonly TopicQuestion[],
  { least, most }: { readonly least: number; readonly most: number },
): Topic[] {
  const counts = new Map<string, Count>();
  for (const [index, { userId, text }] of questions.entries()) {
    const words = wordsIn(text);
    for (const [place, word] of words.entries()) {
      if (word === null) continue;
      count(counts, word.stem, word.spelling, index, userId);
      const next = words[place + 1] ?? null;
      if (next !== null) count(counts, `${word.stem} ${next.stem}`, `${word.spelling} ${next.spelling}`, index, userId);
    }
  }
  const known = [...counts].filter(([, { people }]) => people.size >= least);
  const pairs = known.filter(([key]) => key.includes(' '));
  return known
    .filter(([key, { questions: held }]) => !pairs.some((pair) => swallows(pair, key, held.size)))
    .filter(([key, found]) => !key.includes(' ') || key.split(' ').some((part) => isMostOf(found, counts.get(part))))
    .sort(
      ([one, a], [other, b]) =>
        b.people.size - a.people.size || b.questions.size - a.questions.size || (one < other ? -1 : 1),
    )
    .slice(0, most)
    .map(([, { spellings, questions: held, people }]) => ({
      words: mostOf(spellings),
      questions: held.size,
      people: people.size,
    }));
}

function count(counts: Map<string, Count>, key: string, spelling: string, question: number, userId: string): void {
  const found: Count = counts.get(key) ?? { spellings: new Map(), questions: new Set(), people: new Set() };
  counts.set(key, found);
  found.spellings.set(spelling, (found.spellings.get(spelling) ?? 0) + 1);
  found.questions.add(question);
  found.people.add(userId);
}

const isMostOf = ({ questions }: Count, word: Count | undefined): boolean =>
  word !== undefined && questions.size >= TOGETHER * word.questions.size;

const swallows = ([pair, { questions }]: [string, Count], key: string, held: number): boolean =>
  pair !== key && pair.split(' ').includes(key) && questions.size >= TOGETHER * held;

const mostOf = (spellings: ReadonlyMap<string, number>): string =>
  [...spellings].sort(([, one], [, other]) => other - one)[0]?.[0] ?? '';

/** The words in order; null for one that says nothing, which parts its neighbours. */
function wordsIn(text: string): (Word | null)[] {
  return (text.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’·-]*/gu) ?? []).map((spelling) => {
    const [term, ...others] = termsOf(spelling);
    const says = term !== undefined && others.length === 0 && term.weight === 1 && term.word.length >= LEAST_LETTERS;
    return says ? { spelling: spelling.toLowerCase(), stem: term.stem } : null;
  });
}
