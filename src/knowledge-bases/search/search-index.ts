import { Injectable } from '@nestjs/common';
import { type Transaction, Transactions } from '../../platform/database';
import {
  type ChunkBatch,
  type IndexedDocument,
  type KeywordSearch,
  type Removal,
  SearchIndexRepository,
} from './search-index.repository';
import type { Hit } from './chunk.types';

/** The keyword index as services use it: writes in short transactions, each under the knowledge base's lock. */
@Injectable()
export class SearchIndex {
  constructor(
    private readonly repository: SearchIndexRepository,
    private readonly transactions: Transactions,
  ) {}

  search(query: KeywordSearch): Promise<Hit[]> {
    return this.repository.search(query);
  }

  /** Undefined when the organization has no such knowledge base any more. */
  lock(
    organizationId: string,
    knowledgeBaseId: string,
    tx: Transaction,
  ): Promise<{ language: string | null; deleted: boolean } | undefined> {
    return this.repository.lock(organizationId, knowledgeBaseId, tx);
  }

  /** Called under the lock. */
  add(batch: ChunkBatch, tx: Transaction): Promise<void> {
    return this.repository.add(batch, tx);
  }

  /** Takes chunks out with everything that counted them, batch by batch. */
  async removeChunks(document: IndexedDocument, which: Removal): Promise<void> {
    const { organizationId, knowledgeBaseId } = document;
    let more = true;
    while (more) {
      more = await this.transactions.run(async (tx) => {
        if ((await this.repository.lock(organizationId, knowledgeBaseId, tx)) === undefined) return false;
        return this.repository.removeSome(document, which, tx);
      });
    }
  }
}
