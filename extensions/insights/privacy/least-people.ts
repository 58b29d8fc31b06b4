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
