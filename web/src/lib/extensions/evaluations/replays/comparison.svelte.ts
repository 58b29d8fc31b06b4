import { api, must, type Schema } from '$lib/kit/api/client';

export type Comparison = Schema<'ComparisonDto'>;
export type ComparedItem = Schema<'ComparedItemDto'>;
export type ComparedRun = Schema<'ComparedRunDto'>;

const LOOK_MS = 2_000;

/** One comparison, looked at again until it has ended. */
export class ComparisonPage {
  comparison = $state.raw<Comparison | null>(null);
  items = $state.raw<readonly ComparedItem[]>([]);
  /** Position of the next items; null when all are shown. */
  next = $state<number | null>(0);
  problem = $state.raw<unknown>(null);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isLeft = false;

  constructor(private readonly id: string) {}

  async load(): Promise<void> {
    clearTimeout(this.timer);
    this.problem = null;
    try {
      const before = this.comparison?.done;
      this.comparison = must(await api.GET('/api/v1/replays/{id}', { params: { path: { id: this.id } } }));
      if (before !== this.comparison.done) await this.shownAgain();
      if (this.comparison.finished_at === null && !this.isLeft)
        this.timer = setTimeout(() => void this.load(), LOOK_MS);
    } catch (error) {
      this.problem = error;
    }
  }

  async more(): Promise<void> {
    if (this.next === null) return;
    try {
      const page = await this.page(this.next);
      this.items = [...this.items, ...page.items];
      this.next = page.next;
    } catch (error) {
      this.problem = error;
    }
  }

  async cancel(): Promise<void> {
    try {
      must(await api.POST('/api/v1/replays/{id}/cancel', { params: { path: { id: this.id } } }));
      await this.load();
    } catch (error) {
      this.problem = error;
    }
  }

  leave(): void {
    this.isLeft = true;
    clearTimeout(this.timer);
  }

  /** Fetches as many items as are shown, with what has come meanwhile. */
  private async shownAgain(): Promise<void> {
    const wanted = Math.max(this.items.length, 1);
    let items: readonly ComparedItem[] = [];
    let next: number | null = 0;
    while (next !== null && items.length < wanted) {
      const page: Schema<'ComparedItemsDto'> = await this.page(next);
      items = [...items, ...page.items];
      next = page.next;
    }
    this.items = items;
    this.next = next;
  }

  private async page(from: number): Promise<Schema<'ComparedItemsDto'>> {
    const params = { path: { id: this.id }, query: { from } };
    return must(await api.GET('/api/v1/replays/{id}/items', { params }));
  }
}
