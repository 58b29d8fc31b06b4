import { api, idempotencyKey, must } from '$lib/kit/api/client';
import { forgetCatalogues } from '$lib/app/catalogues/fetched';
import type { PageQuery } from '$lib/kit/api/pages';
import { PagedList } from '$lib/kit/ui/paged-list.svelte';
import { DOCUMENT_FILES, Uploads } from '$lib/kit/uploads/uploads.svelte';
import { DOCUMENT_STATUSES, type DocumentStatus, type KnowledgeDocument, MEBIBYTE } from './knowledge.types';
import { type Counts, countsOf, endedSince, isUnderWay, mergeNews, nextPause } from './news';

const NEWS_MAX = 100;

/** Documents of one knowledge base: the list, uploads, and what becomes of those that are being taken in. */
export class Documents {
  status = $state<DocumentStatus | ''>('');
  counts = $state.raw<Counts | null>(null);
  /** A document, or `all`, that an action works on. */
  busy = $state<string | null>(null);
  actionError = $state.raw<unknown>(null);
  readonly list: PagedList<KnowledgeDocument>;
  readonly uploads: Uploads<{ items: readonly KnowledgeDocument[] }>;
  readonly working = $derived.by(() => this.counts !== null && this.counts.pending + this.counts.processing > 0);
  readonly total = $derived.by(() =>
    this.counts === null ? null : DOCUMENT_STATUSES.reduce((sum, status) => sum + (this.counts?.[status] ?? 0), 0),
  );
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pause = nextPause(null);
  private closed = false;

  constructor(
    private readonly knowledgeBaseId: string,
    private readonly onchange: () => void = () => undefined,
  ) {
    this.list = new PagedList(async (query) => this.page(query, this.status === '' ? undefined : this.status));
    this.uploads = new Uploads(
      () => `/api/v1/knowledge-bases/${knowledgeBaseId}/documents`,
      { accept: DOCUMENT_FILES, fileBytes: 32 * MEBIBYTE, files: 100, bytes: 32 * MEBIBYTE },
      ({ items }) => void this.arrived(items),
    );
  }

  async load(): Promise<void> {
    await Promise.all([this.list.load(), this.look()]);
  }

  /** No more questions to the service; uploads under way stop. */
  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.uploads.cancel();
  }

  async filter(status: DocumentStatus | ''): Promise<void> {
    this.status = status;
    await this.list.load();
  }

  retry(id: string): Promise<void> {
    return this.act(id, async () => {
      this.list.replace(
        must(
          await api.POST('/api/v1/knowledge-bases/{knowledgeBaseId}/documents/{id}/retry', {
            params: { path: this.path(id), header: { 'Idempotency-Key': idempotencyKey() } },
          }),
        ),
      );
    });
  }

  retryFailed(): Promise<void> {
    return this.act('all', async () => {
      await api.POST('/api/v1/knowledge-bases/{knowledgeBaseId}/documents/retry', {
        params: {
          path: { knowledgeBaseId: this.knowledgeBaseId },
          header: { 'Idempotency-Key': idempotencyKey() },
        },
      });
      await this.list.load();
    });
  }

  cancel(id: string): Promise<void> {
    return this.act(id, async () => {
      const params = { path: this.path(id) };
      this.list.replace(
        must(await api.POST('/api/v1/knowledge-bases/{knowledgeBaseId}/documents/{id}/cancel', { params })),
      );
    });
  }

  /** Throws what the service says, for the dialog that asked. */
  async remove(id: string): Promise<void> {
    await api.DELETE('/api/v1/knowledge-bases/{knowledgeBaseId}/documents/{id}', { params: { path: this.path(id) } });
    this.list.remove(id);
    await this.changed();
  }

  private async act(id: string, work: () => Promise<void>): Promise<void> {
    this.busy = id;
    this.actionError = null;
    try {
      await work();
      await this.changed();
    } catch (error) {
      this.actionError = error;
    } finally {
      this.busy = null;
    }
  }

  private async arrived(items: readonly KnowledgeDocument[]): Promise<void> {
    const shown = this.status === '' ? items : items.filter(({ status }) => status === this.status);
    this.list.items = mergeNews(this.list.items, shown, true);
    await this.changed();
  }

  private async changed(): Promise<void> {
    forgetCatalogues();
    this.onchange();
    this.pause = nextPause(null);
    await this.look();
  }

  /** Counts by status, and the documents that are under way; again after a pause while there are any. */
  private async look(): Promise<void> {
    clearTimeout(this.timer);
    try {
      const pages = await Promise.all(
        DOCUMENT_STATUSES.map((status) => this.page({ limit: isUnderWay(status) ? NEWS_MAX : 1 }, status)),
      );
      const moved = this.count(countsOf(pages.map(({ total }) => total)));
      await this.tell(pages.flatMap(({ items }) => items).filter(({ status }) => isUnderWay(status)));
      this.pause = nextPause(moved ? null : this.pause);
    } catch {
      // The list shows what it has; the next look may succeed.
      this.pause = nextPause(this.pause);
    }
    if (this.working && !this.closed) this.timer = setTimeout(() => void this.look(), this.pause);
  }

  /** Whether the counts are other ones than before. */
  private count(counts: Counts): boolean {
    const before = this.counts;
    this.counts = counts;
    this.list.total = this.status === '' ? (this.total ?? 0) : counts[this.status];
    const moved = DOCUMENT_STATUSES.some((status) => before?.[status] !== counts[status]);
    if (moved && before !== null) this.onchange();
    return moved;
  }

  /** Shows what is known of documents under way, and asks after those that were and no longer are. */
  private async tell(underWay: readonly KnowledgeDocument[]): Promise<void> {
    const ended = endedSince(this.list.items, underWay).slice(0, NEWS_MAX);
    const news = await Promise.all(
      ended.map(async ({ id }) => {
        const params = { path: this.path(id) };
        return must(await api.GET('/api/v1/knowledge-bases/{knowledgeBaseId}/documents/{id}', { params }));
      }),
    );
    this.list.items = mergeNews(this.list.items, [...underWay, ...news], false);
  }

  private async page(query: PageQuery, status: DocumentStatus | undefined) {
    return must(
      await api.GET('/api/v1/knowledge-bases/{knowledgeBaseId}/documents', {
        params: {
          path: { knowledgeBaseId: this.knowledgeBaseId },
          query: { ...query, ...(status === undefined ? {} : { status }) },
        },
      }),
    );
  }

  private path(id: string): { knowledgeBaseId: string; id: string } {
    return { knowledgeBaseId: this.knowledgeBaseId, id };
  }
}
