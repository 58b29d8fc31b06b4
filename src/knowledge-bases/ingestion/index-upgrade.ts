import { Injectable, Logger } from '@nestjs/common';
import { Transactions } from '../../infrastructure/database';
import { JobQueue } from '../../infrastructure/jobs';
import { INDEX_VERSION } from '../search/searchable-text';
import { DocumentRepository } from '../storage/document.repository';
import { KnowledgeBaseRepository } from '../storage/knowledge-base.repository';
import type { RowRef } from '../storage/row-queue';
import { IngestionRequests } from './ingestion-requests';

const EVERY_MS = 60_000;
/** Uploads come first: nothing is re-indexed while more documents wait. */
const MOST_WAITING = 100;
const PAGE_SIZE = 100;

/** Re-indexes the documents of knowledge bases whose index has an older form. The old chunks answer until then. */
@Injectable()
export class IndexUpgrade {
  private readonly log = new Logger(IndexUpgrade.name);

  constructor(
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly documents: DocumentRepository,
    private readonly requests: IngestionRequests,
    private readonly transactions: Transactions,
    jobs: JobQueue,
  ) {
    jobs.sweep(EVERY_MS, ({ first }) => (first ? Promise.resolve() : this.sweep()));
  }

  async sweep(): Promise<void> {
    let waiting = await this.documents.countUnfinished(MOST_WAITING);
    if (waiting >= MOST_WAITING) return;
    let upgraded = 0;
    for (const base of await this.knowledgeBases.outdated(INDEX_VERSION, PAGE_SIZE)) {
      waiting += await this.upgrade(base);
      upgraded += 1;
      if (waiting >= MOST_WAITING) break;
    }
    if (upgraded === 0) return;
    this.requests.wake();
    this.log.log({ msg: 'knowledge bases are re-indexed for this version', knowledge_bases: upgraded });
  }

  /** Enqueues its documents and counts it as upgraded, in one transaction. Returns the number of documents. */
  private upgrade({ organizationId, id }: RowRef): Promise<number> {
    return this.transactions.run(async (tx) => {
      const scope = this.knowledgeBases.within(organizationId, tx);
      const row = await scope.lock(id);
      if (row === null || row.deletedAt !== null || row.indexVersion >= INDEX_VERSION) return 0;
      await scope.update(id, { indexVersion: INDEX_VERSION });
      return this.requests.reingest(row, tx);
    });
  }
}
