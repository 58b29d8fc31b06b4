import type { Origin } from '../origin.repository';

/** The relation of an item of the source to the stored items of its kind. */
export type Match =
  | { readonly status: 'new' }
  /**
   * `link`: an earlier import brought it; null: it has the same key and did not come from this source. A link of another
   * origin means that LAMB deleted that item and made this one in its place.
   */
  | { readonly status: 'stored'; readonly id: string; readonly link: Origin | null }
  /** Another item of the source has its key. */
  | { readonly status: 'duplicate' };

export interface KeyedItem {
  readonly origin: string;
  /** Unique within the organization. */
  readonly key: string;
}

/**
 * Matches all items of one kind. `origins`: links that earlier imports stored. `holders`: ids of stored items by key.
 * Returns matches by origin.
 */
export function matchItems(
  items: readonly KeyedItem[],
  origins: readonly Origin[],
  holders: ReadonlyMap<string, string>,
): Map<string, Match> {
  const links = new Map(origins.map((link) => [link.originId, link]));
  const present = new Set(items.map(({ origin }) => origin));
  const claimed = new Set(items.filter(({ origin }) => links.has(origin)).map(({ key }) => key));
  const linksOf = new Map<string, Origin[]>();
  for (const link of origins) linksOf.set(link.localId, [...(linksOf.get(link.localId) ?? []), link]);
  const matchKey = (key: string): Match => {
    if (claimed.has(key)) return { status: 'duplicate' };
    const id = holders.get(key);
    if (id === undefined) return { status: 'new' };
    const earlier = linksOf.get(id) ?? [];
    if (earlier.some(({ originId }) => present.has(originId))) return { status: 'duplicate' };
    return { status: 'stored', id, link: earlier.at(-1) ?? null };
  };
  return new Map(
    items.map(({ origin, key }): [string, Match] => {
      const link = links.get(origin);
      if (link !== undefined) return [origin, { status: 'stored', id: link.localId, link }];
      const match = matchKey(key);
      claimed.add(key);
      return [origin, match];
    }),
  );
}
