/** One page of any list of the API. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
  readonly total: number;
}

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

/** Reads one page; the query names which one. */
export type ReadPage<Found extends { readonly next_cursor: string | null }> = (query: PageQuery) => Promise<Found>;

const LARGEST_PAGE = 100;

export const pageQuery = (limit: number, cursor: string | null): PageQuery => ({
  limit,
  ...(cursor === null ? {} : { cursor }),
});

/** All items of a list, up to `limit`. */
export async function allOf<Item>(read: ReadPage<Omit<Page<Item>, 'total'>>, limit = 2_000): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const found: Omit<Page<Item>, 'total'> = await read(pageQuery(LARGEST_PAGE, cursor));
    items.push(...found.items);
    cursor = found.next_cursor;
  } while (cursor !== null && items.length < limit);
  return items;
}
