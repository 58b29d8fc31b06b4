/** One page of any list of the API. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
  readonly total: number;
}
