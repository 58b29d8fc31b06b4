import type { Page } from './page.types';

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

  /** `page` reads the filters of the moment; `idOf` tells items apart. */
  constructor(
    private readonly page: (query: { limit: number; cursor?: string }) => Promise<Page<Item>>,
    private readonly idOf: (item: Item) => unknown = (item) => (item as { readonly id?: unknown }).id,
  ) {}

  /** From the beginning; an answer that is overtaken by a later `load` is dropped. */
  async load(): Promise<void> {
    await this.fetch(null);
  }

  async more(): Promise<void> {
    if (this.next !== null && !this.loading) await this.fetch(this.next);
  }

  replace(item: Item): void {
    this.items = this.items.map((each) => (this.idOf(each) === this.idOf(item) ? item : each));
  }

  remove(id: string): void {
    const left = this.items.filter((each) => this.idOf(each) !== id);
    this.total -= this.items.length - left.length;
    this.items = left;
  }

  private async fetch(cursor: string | null): Promise<void> {
    const turn = ++this.turn;
    this.loading = true;
    this.error = null;
    try {
      const found = await this.page({ limit: 30, ...(cursor === null ? {} : { cursor }) });
      if (turn !== this.turn) return;
      this.items = cursor === null ? found.items : [...this.items, ...found.items];
      this.total = found.total;
      this.next = found.next_cursor;
      this.loaded = true;
    } catch (error) {
      if (turn === this.turn) this.error = error;
    } finally {
      if (turn === this.turn) this.loading = false;
    }
  }
}
