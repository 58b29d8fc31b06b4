import { api, must } from '$lib/api/client';
import type { RunStatus, RunSummary } from './run-events';

export interface RunFilter {
  readonly assistantId: number | null;
  readonly status: RunStatus | null;
}

const PAGE = 20;

/** Runs, newest first, a page at a time. */
export class RunList {
  items = $state.raw<readonly RunSummary[]>([]);
  total = $state(0);
  isLoading = $state(false);
  problem = $state.raw<unknown>(null);
  /** Something has been loaded. */
  isKnown = $state(false);

  readonly hasMore = $derived.by(() => this.cursor !== null);
  private cursor = $state<string | null>(null);
  private filter: RunFilter = { assistantId: null, status: null };
  /** Answers that come after a newer question are dropped. */
  private asked = 0;

  constructor(private readonly pageSize = PAGE) {}

  async load(filter: RunFilter = this.filter): Promise<void> {
    this.filter = filter;
    await this.fetch(null);
  }

  async more(): Promise<void> {
    if (this.cursor !== null && !this.isLoading) await this.fetch(this.cursor);
  }

  private async fetch(cursor: string | null): Promise<void> {
    const asked = ++this.asked;
    this.isLoading = true;
    this.problem = null;
    const { assistantId, status } = this.filter;
    const query = {
      limit: this.pageSize,
      ...(cursor === null ? {} : { cursor }),
      ...(assistantId === null ? {} : { assistant_id: assistantId }),
      ...(status === null ? {} : { status }),
    };
    try {
      const page = must(await api.GET('/api/v1/runs', { params: { query } }));
      if (asked !== this.asked) return;
      this.items = cursor === null ? page.items : [...this.items, ...page.items];
      this.cursor = page.next_cursor;
      this.total = page.total;
      this.isKnown = true;
    } catch (error) {
      if (asked === this.asked) this.problem = error;
    } finally {
      if (asked === this.asked) this.isLoading = false;
    }
  }
}
