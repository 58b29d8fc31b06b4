import { Injectable } from '@nestjs/common';
import { type Transaction, Transactions } from '../../infrastructure/database';
import type { IndexedChunk } from './chunk.types';
import { ADD_CHUNKS, INDEX_BATCH, LOCK, REMOVE_CHUNKS } from './index-statements';
import { withoutStopWords } from './searchable-text';

export interface IndexedDocument {
  readonly organizationId: string;
  readonly knowledgeBaseId: string;
  readonly documentId: string;
}

export interface ChunkBatch extends IndexedDocument {
  readonly generation: string;
  /** Name of a PostgreSQL text-search configuration. */
  readonly configuration: string;
  /** Ordinal of the first chunk. */
  readonly first: number;
  readonly chunks: readonly IndexedChunk[];
}

export interface LockedKnowledgeBase {
  readonly language: string | null;
  /** Whether all documents have this language. */
  readonly chosen: boolean;
  readonly deleted: boolean;
}

/**
 * Writes the keyword index: chunks, postings and document frequencies in plain tables, the same SQL on every PostgreSQL.
 * Every write holds the row lock of the knowledge base.
 */
@Injectable()
export class SearchIndex {
  constructor(private readonly transactions: Transactions) {}

  /** Undefined when the organization has no such knowledge base. */
  async lock(
    organizationId: string,
    knowledgeBaseId: string,
    tx: Transaction,
  ): Promise<LockedKnowledgeBase | undefined> {
    const [row] = await tx.query<LockedKnowledgeBase[]>(LOCK, [knowledgeBaseId, organizationId]);
    return row;
  }

  /** Called under the lock. */
  async add({ chunks, first, ...target }: ChunkBatch, tx: Transaction): Promise<void> {
    const column = <K extends keyof IndexedChunk>(name: K): IndexedChunk[K][] => chunks.map((chunk) => chunk[name]);
    await tx.query(ADD_CHUNKS, [
      target.organizationId,
      target.knowledgeBaseId,
      target.documentId,
      target.generation,
      target.configuration,
      chunks.map((_, index) => first + index),
      column('start'),
      column('end'),
      column('section'),
      column('text'),
      column('searchText').map((text) => withoutStopWords(target.configuration, text)),
      column('page'),
      column('pageEnd'),
      column('sectionStart'),
      column('sectionEnd'),
      column('tableHeader'),
    ]);
  }

  /** Removes the chunks of one generation, or of all for null, with their postings. One short transaction a batch. */
  async removeChunks(document: IndexedDocument, generation: string | null): Promise<void> {
    const { organizationId, knowledgeBaseId, documentId } = document;
    const parameters = [documentId, knowledgeBaseId, generation];
    let removed = INDEX_BATCH;
    while (removed === INDEX_BATCH) {
      removed = await this.transactions.run(async (tx) => {
        if ((await this.lock(organizationId, knowledgeBaseId, tx)) === undefined) return 0;
        const [row] = await tx.query<[{ removed: number }]>(REMOVE_CHUNKS, parameters);
        return row.removed;
      });
    }
  }
}
