import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../platform/database';
import { DocumentRepository } from '../storage/document.repository';
import { IngestionRequests } from './ingestion-requests';

/** Has documents taken in again where the settings of their knowledge base have changed. */
@Injectable()
export class ReingestService {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly requests: IngestionRequests,
  ) {}

  /**
   * Makes every document wait that has been or is being taken in; what it was cut into before goes on answering meanwhile.
   * Returns how many. Called under the knowledge base's lock or an update of its row; work begins within a second of the commit.
   */
  async all(knowledgeBase: { readonly organizationId: string; readonly id: string }, tx: Transaction): Promise<number> {
    const ids = await this.documents.within(knowledgeBase.organizationId, tx).restart(knowledgeBase.id);
    await this.requests.ingest(knowledgeBase, ids, tx);
    return ids.length;
  }
}
