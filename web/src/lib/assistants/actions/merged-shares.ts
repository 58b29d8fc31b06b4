import type { Share } from './requests';

/** Somebody in the list; a person who was typed in has no id yet. */
export interface SharePerson {
  readonly key: string;
  readonly userId: string | null;
  readonly email: string | null;
  readonly name: string | null;
  readonly access: Share['access'];
}

type People = readonly SharePerson[];

const byKey = (people: People): ReadonlyMap<string, SharePerson> =>
  new Map(people.map((person) => [person.key, person]));

/** Whether both lists hold the same people with the same access. */
export function isSameList(one: People, other: People): boolean {
  const others = byKey(other);
  return one.length === other.length && one.every(({ key, access }) => others.get(key)?.access === access);
}

/**
 * What was changed here between `read` and `edited`, applied to the list as it is `now`. Who was taken out elsewhere
 * stays out, whatever access was chosen here: only adding somebody gives access anew.
 */
export function mergedShares(read: People, edited: People, now: People): People {
  const before = byKey(read);
  const after = byKey(edited);
  const added = edited.filter(({ key }) => !before.has(key));
  const kept = now
    .filter(({ key }) => !before.has(key) || after.has(key))
    .map((person) => {
      const wanted = after.get(person.key)?.access;
      const typed = added.find(({ email }) => email !== null && email === person.email?.toLowerCase());
      if (typed !== undefined) return { ...person, access: typed.access };
      return wanted === undefined || wanted === before.get(person.key)?.access ? person : { ...person, access: wanted };
    });
  const there = new Set(kept.map(({ email }) => email?.toLowerCase()));
  return [...kept, ...added.filter(({ email }) => !there.has(email ?? undefined))];
}
