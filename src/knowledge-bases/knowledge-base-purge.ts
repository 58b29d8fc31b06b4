import { Injectable } from '@nestjs/common';
import { BlobStore } from '../files';
import { type Transaction, Transactions } from '../infrastructure/database';
import { JobQueue, type RunningJob } from '../infrastructure/jobs';
import { DocumentPurge } from './ingestion/ingestion.service';
import { knowledgeBaseSpace } from './storage/document-scope.repository';
import { DocumentRepository } from './storage/document.repository';
import { KnowledgeBaseRepository } from './storage/knowledge-base.repository';
import { RowQueue, type RowRef } from './storage/row-queue';

const QUEUE = { name: 'knowledge-base-purge', concurrency: 1, retries: 20, retryDelay: 2, timeoutMs: 60 * 60_000 };
const SWEEP_MS = 60_000;

/** Removes deleted knowledge bases, document by document. A retry continues where the last try stopped. */
@Injectable()
export class KnowledgeBasePurge {
  private readonly queue: RowQueue;

  constructor(
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly documents: DocumentRepository,
    private readonly purge: DocumentPurge,
    private readonly blobs: BlobStore,
    transactions: Transactions,
    jobs: JobQueue,
  ) {
    this.queue = new RowQueue(jobs, QUEUE);
    this.queue.handle((job) => this.run(job));
    jobs.sweep(SWEEP_MS, async () => void (await this.queue.repair(await knowledgeBases.hidden(), transactions)));
  }

  /** Part of the transaction that marks it as deleted. */
  enqueue(knowledgeBase: RowRef, tx: Transaction): Promise<void> {
    return this.queue.send([knowledgeBase], tx);
  }

  /** After the commit. */
  wake(): void {
    this.queue.wake();
  }

  /** Removes a knowledge base that is marked as deleted; others stay. A second call at the same time does no harm. */
  async purgeNow({ organizationId, id }: RowRef, signal: AbortSignal): Promise<void> {
    const scope = this.knowledgeBases.within(organizationId);
    const knowledgeBase = await scope.find(id);
    if (knowledgeBase === null || knowledgeBase.deletedAt === null) return;
    const documents = this.documents.within(organizationId);
    for (let row = await documents.first(id); row !== null; row = await documents.first(id)) {
      signal.throwIfAborted();
      await this.purge.purge(row);
    }
    // Last, because the sweep finds unfinished removals by this row.
    await this.blobs.removeSpace(knowledgeBaseSpace(organizationId, id));
    await scope.remove(id);
  }

  private run({ data, signal }: RunningJob<RowRef>): Promise<void> {
    return this.purgeNow(data, signal);
  }
}
