/** One page of any list of the API. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
  readonly total: number;
}

/** Which page of it is asked for. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}
