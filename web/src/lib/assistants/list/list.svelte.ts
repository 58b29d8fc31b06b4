import { api, must } from '$lib/api/client';
import type { Assistant } from '$lib/assistants/definition';
import type { Filters } from './filters';

const PAGE = 20;

/** The assistants that fit the filters, page after page. */
export class AssistantList {
  items = $state.raw<readonly Assistant[]>([]);
  total = $state(0);
  loading = $state(true);
  error = $state.raw<unknown>(null);
  private cursor = $state.raw<string | null>(null);
  private filters: Filters = { type: null, q: '', mine: false };
  private turn = 0;

  readonly hasMore = $derived.by(() => this.cursor !== null);

  /** Shows the first page. Of answers that overtake each other the last question's counts: false for the others. */
  show(filters: Filters): Promise<boolean> {
    this.filters = filters;
    return this.fetch(undefined);
  }

  /** True when more is shown. */
  async more(): Promise<boolean> {
    return this.cursor !== null && !this.loading && (await this.fetch(this.cursor));
  }

  /** Asks again for what is shown. */
  async again(): Promise<void> {
    await this.fetch(undefined);
  }

  put(assistant: Assistant): void {
    this.items = this.items.map((item) => (item.id === assistant.id ? assistant : item));
  }

  remove(id: number): void {
    this.items = this.items.filter((item) => item.id !== id);
    this.total -= 1;
  }

  /** True when its answer is shown. */
  private async fetch(cursor: string | undefined): Promise<boolean> {
    const turn = ++this.turn;
    this.loading = true;
    this.error = null;
    try {
      const { type, q, mine } = this.filters;
      const found = must(
        await api.GET('/api/v1/assistants', {
          params: {
            query: {
              limit: PAGE,
              ...(type === null ? {} : { type }),
              ...(q === '' ? {} : { q }),
              ...(mine ? { owner: 'me' as const } : {}),
              ...(cursor === undefined ? {} : { cursor }),
            },
          },
        }),
      );
      if (turn !== this.turn) return false;
      this.items = cursor === undefined ? found.items : [...this.items, ...found.items];
      this.total = found.total;
      this.cursor = found.next_cursor;
      return true;
    } catch (error) {
      if (turn === this.turn) this.error = error;
      return false;
    } finally {
      if (turn === this.turn) this.loading = false;
    }
  }
}
