interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
  readonly total: number;
}
export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

const LIMIT = 30;

/** A list that is shown page by page. */
export class Pages<Item> {
  items = $state.raw<readonly Item[]>([]);
  total = $state(0);
  loading = $state(false);
  loaded = $state(false);
  error = $state.raw<unknown>(null);
  private next = $state<string | null>(null);
  readonly hasMore = $derived.by(() => this.next !== null);

  constructor(private readonly fetch: (query: PageQuery) => Promise<Page<Item>>) {}

  /** From the beginning. */
  async load(): Promise<void> {
    await this.read(null);
  }

  async more(): Promise<void> {
    if (this.next !== null) await this.read(this.next);
  }

  private async read(cursor: string | null): Promise<void> {
    this.loading = true;
    this.error = null;
    try {
      const page = await this.fetch({ limit: LIMIT, ...(cursor === null ? {} : { cursor }) });
      this.items = cursor === null ? page.items : [...this.items, ...page.items];
      this.total = page.total;
      this.next = page.next_cursor;
      this.loaded = true;
    } catch (error) {
      this.error = error;
    } finally {
      this.loading = false;
    }
  }
}
