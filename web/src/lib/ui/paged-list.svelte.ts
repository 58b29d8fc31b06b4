import type { Page, PageQuery } from './page.types';

const idOf = (item: unknown): unknown => (item as { readonly id?: unknown }).id;

/** A list of the API that is shown page by page: what was loaded, how many there are, and what went wrong. */
export class PagedList<Item> {
  items = $state.raw<readonly Item[]>([]);
  total = $state(0);
  loading = $state(true);
  /** Whether a first page is there, whatever happened since. */
  loaded = $state(false);
  error = $state.raw<unknown>(null);
  readonly hasMore = $derived.by(() => this.next !== null);
  private next = $state<string | null>(null);
  private turn = 0;
  /** What was replaced or removed since the page under way was asked for: its answer may not know of it yet. */
  private meanwhile: ((items: readonly Item[]) => readonly Item[])[] = [];

  /** `page` reads the filters of the moment. */
  constructor(
    private readonly page: (query: PageQuery) => Promise<Page<Item>>,
    private readonly limit = 30,
  ) {}

  /** From the beginning. True when its answer is shown: one that is overtaken by a later `load` is dropped. */
  load(): Promise<boolean> {
    return this.fetch(null);
  }

  /** True when more is shown. */
  async more(): Promise<boolean> {
    return this.next !== null && !this.loading && (await this.fetch(this.next));
  }

  replace(item: Item): void {
    this.change((items) => items.map((each) => (idOf(each) === idOf(item) ? item : each)));
  }

  remove(id: unknown): void {
    const before = this.items.length;
    this.change((items) => items.filter((each) => idOf(each) !== id));
    this.total -= before - this.items.length;
  }

  private change(change: (items: readonly Item[]) => readonly Item[]): void {
    this.items = change(this.items);
    if (this.loading) this.meanwhile.push(change);
  }

  private async fetch(cursor: string | null): Promise<boolean> {
    const turn = ++this.turn;
    this.loading = true;
    this.error = null;
    this.meanwhile = [];
    try {
      const found = await this.page({ limit: this.limit, ...(cursor === null ? {} : { cursor }) });
      if (turn !== this.turn) return false;
      const items = this.meanwhile.reduce((each, change) => change(each), found.items as readonly Item[]);
      this.items = cursor === null ? items : [...this.items, ...items];
      this.total = found.total - (found.items.length - items.length);
      this.next = found.next_cursor;
      this.loaded = true;
      return true;
    } catch (error) {
      if (turn === this.turn) this.fail(error, cursor);
      return false;
    } finally {
      if (turn === this.turn) this.loading = false;
    }
  }

  /** What is shown stays; without a first page nothing follows it, since the cursor belongs to the filters before. */
  private fail(error: unknown, cursor: string | null): void {
    this.error = error;
    if (cursor === null) this.next = null;
  }
}
