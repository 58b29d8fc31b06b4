import { areEnough } from './least-people';

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
