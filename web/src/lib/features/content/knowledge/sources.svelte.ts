import { api, idempotencyKey, must } from '$lib/kit/api/client';
import type { PageQuery } from '$lib/kit/api/pages';
import { PagedList } from '$lib/kit/ui/paged-list.svelte';
import type { KnowledgeSource } from './knowledge.types';
import { nextPause } from './news';

export const REFRESHES = ['manual', 'daily', 'weekly'] as const;

const isUnderWay = ({ status }: KnowledgeSource): boolean => status !== 'completed' && status !== 'failed';

/** Addresses of one knowledge base, and what becomes of those that are being read. */
export class Sources {
  /** An address, or `new`, that an action works on. */
  busy = $state<string | null>(null);
  actionError = $state.raw<unknown>(null);
  readonly list: PagedList<KnowledgeSource>;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pause = nextPause(null);
  private closed = false;

  constructor(
    private readonly knowledgeBaseId: string,
    private readonly onchange: () => void,
  ) {
    this.list = new PagedList((query) => this.page(query));
  }

  async load(): Promise<void> {
    await this.list.load();
    this.watch();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  /** Whether it was added. */
  async add(url: string, refresh: KnowledgeSource['refresh']): Promise<boolean> {
    return this.act('new', async () => {
      const source = must(
        await api.POST('/api/v1/knowledge-bases/{knowledgeBaseId}/sources', {
          params: {
            path: { knowledgeBaseId: this.knowledgeBaseId },
            header: { 'Idempotency-Key': idempotencyKey() },
          },
          body: { url, refresh },
        }),
      );
      this.list.items = [...this.list.items, source];
    });
  }

  async refresh(id: string): Promise<void> {
    await this.act(id, async () => {
      this.list.replace(
        must(
          await api.POST('/api/v1/knowledge-bases/{knowledgeBaseId}/sources/{id}/refresh', {
            params: { path: this.path(id), header: { 'Idempotency-Key': idempotencyKey() } },
          }),
        ),
      );
    });
  }

  async schedule(id: string, refresh: KnowledgeSource['refresh']): Promise<void> {
    await this.act(id, async () => {
      const params = { path: this.path(id) };
      const path = '/api/v1/knowledge-bases/{knowledgeBaseId}/sources/{id}';
      this.list.replace(must(await api.PATCH(path, { params, body: { refresh } })));
    });
  }

  /** Throws what the service says, for the dialog that asked. */
  async remove(id: string): Promise<void> {
    await api.DELETE('/api/v1/knowledge-bases/{knowledgeBaseId}/sources/{id}', { params: { path: this.path(id) } });
    this.list.remove(id);
    this.onchange();
  }

  private async act(id: string, work: () => Promise<void>): Promise<boolean> {
    this.busy = id;
    this.actionError = null;
    try {
      await work();
      this.onchange();
      this.watch();
      return true;
    } catch (error) {
      this.actionError = error;
      return false;
    } finally {
      this.busy = null;
    }
  }

  /** Asks again for those under way, while there are any. */
  private watch(): void {
    clearTimeout(this.timer);
    if (this.closed || !this.list.items.some(isUnderWay)) return;
    this.timer = setTimeout(() => void this.look(), this.pause);
  }

  private async look(): Promise<void> {
    try {
      for (const { id } of this.list.items.filter(isUnderWay)) {
        const params = { path: this.path(id) };
        const news = must(await api.GET('/api/v1/knowledge-bases/{knowledgeBaseId}/sources/{id}', { params }));
        this.list.replace(news);
        if (!isUnderWay(news)) this.onchange();
      }
    } catch {
      // The list shows what it has; the next look may succeed.
    }
    this.pause = nextPause(this.pause);
    this.watch();
  }

  private async page(query: PageQuery) {
    const params = { path: { knowledgeBaseId: this.knowledgeBaseId }, query };
    return must(await api.GET('/api/v1/knowledge-bases/{knowledgeBaseId}/sources', { params }));
  }

  private path(id: string): { knowledgeBaseId: string; id: string } {
    return { knowledgeBaseId: this.knowledgeBaseId, id };
  }
}
