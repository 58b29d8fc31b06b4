import { Injectable } from '@nestjs/common';
import { BlobStore } from '../files';
import { type Transaction, Transactions } from '../platform/database';
import { JobQueue, type Queue, type RunningJob } from '../platform/jobs';
import { DocumentRepository } from './storage/document.repository';
import { knowledgeBaseSpace } from './storage/document-space';
import { DocumentPurge } from './ingestion/document-purge';
import { type TenantJob, toJob } from './ingestion/tenant-job';
import { KnowledgeBaseRepository } from './storage/knowledge-base.repository';

const QUEUE: Queue<TenantJob> = {
  name: 'knowledge-base-purge',
  concurrency: 1,
  retries: 20,
  retryDelay: 2,
  timeoutMs: 60 * 60_000,
};
const SWEEP_MS = 60_000;

/** Takes hidden knowledge bases apart, document by document; whatever interrupts it, a later try goes on. */
@Injectable()
export class KnowledgeBasePurge {
  constructor(
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly documents: DocumentRepository,
    private readonly purge: DocumentPurge,
    private readonly blobs: BlobStore,
    private readonly transactions: Transactions,
    private readonly jobs: JobQueue,
  ) {
    jobs.declare(QUEUE, (job) => this.run(job));
    jobs.sweep(SWEEP_MS, () => this.sweep());
  }

  /** In the transaction that hides it. */
  async enqueue({ organizationId, id }: TenantJob, tx: Transaction): Promise<void> {
    await this.jobs.send(QUEUE, [toJob({ organizationId, id })], tx);
  }

  /** After the commit. */
  wake(): void {
    this.jobs.wake(QUEUE);
  }

  private async run({ data: { organizationId, id }, signal }: RunningJob<TenantJob>): Promise<void> {
    const scope = this.knowledgeBases.within(organizationId);
    const knowledgeBase = await scope.find(id);
    if (knowledgeBase === null || knowledgeBase.deletedAt === null) return;
    const documents = this.documents.within(organizationId);
    for (let row = await documents.first(id); row !== null; row = await documents.first(id)) {
      signal.throwIfAborted();
      await this.purge.purge(row);
    }
    // The row goes last: as long as it is there, somebody knows that there is something to remove.
    await this.blobs.removeSpace(knowledgeBaseSpace(organizationId, id));
    await scope.remove(id);
  }

  private async sweep(): Promise<void> {
    const hidden = await this.knowledgeBases.hidden();
    const ids = await this.jobs.withoutJob(
      QUEUE,
      hidden.map(({ id }) => id),
    );
    const lost = hidden.filter(({ id }) => ids.includes(id));
    if (lost.length > 0) await this.transactions.run((tx) => this.jobs.send(QUEUE, lost.map(toJob), tx));
  }
}
