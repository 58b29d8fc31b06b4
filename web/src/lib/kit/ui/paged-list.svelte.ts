import { toProblem } from '$lib/kit/api/problem';
import { type Page, pageQuery, type ReadPage } from '$lib/kit/api/pages';

const idOf = (item: unknown): unknown => (item as { readonly id?: unknown }).id;

/** A list of the API, loaded page by page. */
export class PagedList<Item> {
  items = $state.raw<readonly Item[]>([]);
  total = $state(0);
  loading = $state(true);
  /** A first page is there; a later failure does not change that. */
  loaded = $state(false);
  readonly hasMore = $derived.by(() => this.next !== null);
  private next = $state<string | null>(null);
  private failure = $state.raw<unknown>(null);
  private readonly retry = (): void => {
    if (this.next === null && this.failure !== null && toProblem(this.failure).status === 0) void this.load();
  };
  private turn = 0;
  /** Changes since the current request started: its answer may not hold them yet. */
  private meanwhile: ((items: readonly Item[]) => readonly Item[])[] = [];

  /** `page` reads the current filters. */
  constructor(
    private readonly page: ReadPage<Page<Item>>,
    private readonly limit = 30,
  ) {}

  get error(): unknown {
    // A first page that did not come is asked for again when the connection is back, while somebody shows the list.
    if ($effect.tracking())
      $effect(() => {
        addEventListener('online', this.retry);
        return () => removeEventListener('online', this.retry);
      });
    return this.failure;
  }

  /** Starts at the first page. False when a later `load` overtook this one. */
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
    this.failure = null;
    this.meanwhile = [];
    try {
      const found = await this.page(pageQuery(this.limit, cursor));
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

  /** Keeps the items. After a failed first page the cursor goes: it belongs to the filters before. */
  private fail(error: unknown, cursor: string | null): void {
    this.failure = error;
    if (cursor === null) this.next = null;
  }
}
