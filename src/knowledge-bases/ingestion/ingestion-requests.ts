import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../infrastructure/config';
import { type Transaction, Transactions } from '../../infrastructure/database';
import { type JobHandler, JobQueue, type NewJob } from '../../infrastructure/jobs';
import type { Backlog } from '../storage/document-scope.repository';
import { type DocumentRef, DocumentRepository } from '../storage/document.repository';
import { RowQueue, type RowRef } from '../storage/row-queue';
import { BatchPoller } from './batch-poller';

const MINUTE_MS = 60_000;

/** Queues of documents to ingest and to remove, and waiting for either. */
@Injectable()
export class IngestionRequests {
  private readonly working = new Map<string, AbortController>();
  private readonly ingestion: RowQueue;
  private readonly removal: RowQueue;
  private readonly untilSettled: BatchPoller;
  private readonly untilGone: BatchPoller;

  constructor(
    @Inject(CONFIG) config: Config,
    jobs: JobQueue,
    private readonly documents: DocumentRepository,
    private readonly transactions: Transactions,
  ) {
    this.ingestion = new RowQueue(jobs, {
      name: 'document-ingestion',
      concurrency: config.ingestion.concurrency,
      // About eight minutes in all, which outlasts most outages.
      retries: 8,
      retryDelay: 2,
      timeoutMs: 60 * MINUTE_MS,
    });
    this.removal = new RowQueue(jobs, {
      name: 'document-purge',
      concurrency: 1,
      retries: 20,
      retryDelay: 2,
      timeoutMs: 30 * MINUTE_MS,
    });
    const isStopping = (): boolean => jobs.isStopping;
    this.untilSettled = new BatchPoller((ids) => documents.unfinishedOf(ids), isStopping);
    this.untilGone = new BatchPoller((ids) => documents.presentOf(ids), isStopping);
  }

  onIngestion(handler: JobHandler<RowRef>): void {
    this.ingestion.handle(handler);
  }

  onPurge(handler: JobHandler<RowRef>): void {
    this.removal.handle(handler);
  }

  /** Enqueues documents of one knowledge base, in this order. Part of the transaction that changes their rows. */
  async ingest(knowledgeBase: RowRef, ids: readonly string[], tx: Transaction): Promise<void> {
    if (ids.length === 0) return;
    const { organizationId, id: knowledgeBaseId } = knowledgeBase;
    const backlog = await this.documents.within(organizationId, tx).backlog(knowledgeBaseId);
    const before = {
      organization: Math.max(backlog.organization - ids.length, 0),
      knowledgeBase: Math.max(backlog.knowledgeBase - ids.length, 0),
    };
    const documents = ids.map((id) => ({ organizationId, knowledgeBaseId, id }));
    await this.ingestion.send(prioritized(documents, before), tx);
  }

  /**
   * Enqueues every ingested document again. Their current chunks answer until then. Called under the knowledge base's lock.
   * Returns the number of documents.
   */
  async reingest(knowledgeBase: RowRef, tx: Transaction): Promise<number> {
    const ids = await this.documents.within(knowledgeBase.organizationId, tx).restart(knowledgeBase.id);
    await this.ingest(knowledgeBase, ids, tx);
    return ids.length;
  }

  purge(document: RowRef, tx: Transaction): Promise<void> {
    return this.removal.send([document], tx);
  }

  /** After the commit. */
  wake(): void {
    this.ingestion.wake();
    this.removal.wake();
  }

  /** Enqueues documents whose job was lost. Returns their number. */
  async repair(waiting: readonly DocumentRef[], hidden: readonly DocumentRef[]): Promise<number> {
    const ingested = await this.ingestion.repair(waiting, this.transactions, (lost) => prioritized(lost));
    return ingested + (await this.removal.repair(hidden, this.transactions));
  }

  /** Waits until all documents are processed, by this process or another, or until the limit. */
  settled(ids: readonly string[], limitMs: number): Promise<void> {
    return this.untilSettled.wait(ids, limitMs);
  }

  gone(id: string, limitMs: number): Promise<void> {
    return this.untilGone.wait([id], limitMs);
  }

  /** Tells waiting requests that this process has finished a document. */
  notify(): void {
    this.untilSettled.notify();
    this.untilGone.notify();
  }

  /** Registers the work on a document in this process, so that `interrupt` can abort it. */
  begin(id: string): { readonly signal: AbortSignal; end(): void } {
    const controller = new AbortController();
    this.working.set(id, controller);
    const end = (): void => {
      if (this.working.get(id) === controller) this.working.delete(id);
      this.notify();
    };
    return { signal: controller.signal, end };
  }

  /** Aborts the work on documents whose claim was taken away. Other processes notice within seconds. */
  interrupt(ids: readonly string[]): void {
    for (const id of ids) this.working.get(id)?.abort();
  }
}

/** Weight of a document ahead in another knowledge base of the organization: a tenth of one in the same. */
const ELSEWHERE = 10;

/**
 * Fair queueing: priority falls with the number of documents ahead in the same knowledge base and organization. A small upload
 * does not wait for ten thousand documents of somebody else.
 */
export function prioritized(
  documents: readonly DocumentRef[],
  before: Backlog = { organization: 0, knowledgeBase: 0 },
): (DocumentRef & Pick<NewJob<RowRef>, 'priority'>)[] {
  const counts = new Map<string, number>();
  const place = (id: string): number => {
    const count = counts.get(id) ?? 0;
    counts.set(id, count + 1);
    return count;
  };
  return documents.map((document) => {
    const near = before.knowledgeBase + place(document.knowledgeBaseId);
    const far = before.organization + place(document.organizationId);
    return { ...document, priority: -(near + Math.floor(far / ELSEWHERE)) };
  });
}
