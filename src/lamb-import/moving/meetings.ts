import type { Origin } from '../storage/origin.repository';

/** Something here with what nothing else of its kind may have beside it. */
export interface Taken {
  readonly id: string;
  readonly key: string;
}

interface Keyed {
  readonly origin: string;
  readonly key: string;
}

export type Meeting =
  | { readonly with: 'nobody' }
  /** With what came from something that is no longer at the source: it was made again there. */
  | { readonly with: 'predecessor'; readonly known: Origin }
  /** With what did not come from the source. */
  | { readonly with: 'ours'; readonly id: string }
  /** With what came, or comes, from something else that is still at the source. */
  | { readonly with: 'another' };

/**
 * Whom those of the source meet here that never came before, by key. Where ids are reserved for newcomers and where they
 * land, this is the one rule. `arrivals`: everything of the kind that the source has.
 */
export function meetingsOf(
  arrivals: readonly Keyed[],
  origins: readonly Origin[],
  taken: readonly Taken[],
): ReadonlyMap<string, Meeting> {
  const there = new Set(arrivals.map(({ origin }) => origin));
  const holders = new Map(taken.map(({ id, key }) => [key, id] as const));
  const cameFrom = new Map<string, Origin[]>();
  for (const origin of origins) cameFrom.set(origin.localId, [...(cameFrom.get(origin.localId) ?? []), origin]);
  const known = new Set(origins.map(({ originId }) => originId));
  const claimed = new Set(arrivals.filter(({ origin }) => known.has(origin)).map(({ key }) => key));
  const meet = (key: string): Meeting => {
    if (claimed.has(key)) return { with: 'another' };
    const id = holders.get(key);
    if (id === undefined) return { with: 'nobody' };
    const came = cameFrom.get(id) ?? [];
    const last = came.at(-1);
    if (last === undefined) return { with: 'ours', id };
    const remains = came.some(({ originId }) => there.has(originId));
    return remains ? { with: 'another' } : { with: 'predecessor', known: last };
  };
  const strangers = arrivals.filter(({ origin }) => !known.has(origin));
  return new Map(
    strangers.map(({ origin, key }) => {
      const meeting = meet(key);
      claimed.add(key);
      return [origin, meeting] as const;
    }),
  );
}
