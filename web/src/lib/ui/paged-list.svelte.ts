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
    this.items = this.items.map((each) => (idOf(each) === idOf(item) ? item : each));
  }

  remove(id: unknown): void {
    const left = this.items.filter((each) => idOf(each) !== id);
    this.total -= this.items.length - left.length;
    this.items = left;
  }

  private async fetch(cursor: string | null): Promise<boolean> {
    const turn = ++this.turn;
    this.loading = true;
    this.error = null;
    try {
      const found = await this.page({ limit: this.limit, ...(cursor === null ? {} : { cursor }) });
      if (turn !== this.turn) return false;
      this.items = cursor === null ? found.items : [...this.items, ...found.items];
      this.total = found.total;
      this.next = found.next_cursor;
      this.loaded = true;
      return true;
    } catch (error) {
      if (turn === this.turn) this.error = error;
      return false;
    } finally {
      if (turn === this.turn) this.loading = false;
    }
  }
}
