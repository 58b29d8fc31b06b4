import { Injectable } from '@nestjs/common';
import { BlobStore } from '../../files';
import { uuidv7 } from '../../kernel';
import { type Transaction, Transactions } from '../../platform/database';
import { switched } from '../storage/document-files';
import { knowledgeBaseSpace } from '../storage/document-space';
import type { DocumentEntity } from '../storage/document.entity';
import { DocumentRepository } from '../storage/document.repository';
import { KnowledgeBaseRepository } from '../storage/knowledge-base.repository';
import type { IndexedChunk } from '../search/chunk.types';
import { detectLanguage, searchConfiguration } from '../search/language';
import { SearchIndex } from '../search/search-index';

/** The document was deleted, replaced, cancelled, or taken over by another worker: whoever did that has the last word. */
export class ClaimLost extends Error {}

export interface ClaimedDocument {
  readonly row: DocumentEntity;
  readonly claim: string;
}

export interface Content {
  readonly text: string;
  readonly title: string | null;
  /** What the text lacks of the document. */
  readonly warnings: readonly string[];
  /** Chunks in order, made while they are taken: all of a long document's at once would fill the memory. */
  readonly batches: AsyncIterable<readonly IndexedChunk[]>;
}

/** A complete set of chunks that does not answer yet. */
export interface Written extends Pick<Content, 'title' | 'warnings'> {
  readonly generation: string;
  readonly chunks: number;
}

/**
 * Writes the chunks of a claimed document beside those that answer, then switches over. Each step is one short transaction
 * under the knowledge base's lock that first looks whether the claim still holds, so two workers never both write.
 */
@Injectable()
export class DocumentWriter {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly index: SearchIndex,
    private readonly blobs: BlobStore,
    private readonly transactions: Transactions,
  ) {}

  /** @throws {ClaimLost} */
  async write(document: ClaimedDocument, content: Content, signal: AbortSignal): Promise<Written> {
    const { text, title, warnings, batches } = content;
    const generation = uuidv7();
    const { organizationId, knowledgeBaseId, id: documentId } = document.row;
    let first = 0;
    for await (const chunks of batches) {
      signal.throwIfAborted();
      const current = first + chunks.length;
      const total = expectedChunks(current, text, chunks.at(-1)?.end ?? 0);
      await this.locked(document, { current, total }, async (language, tx) => {
        const configuration = searchConfiguration(language ?? (await this.decideLanguage(document.row, text, tx)));
        const target = { organizationId, knowledgeBaseId, documentId, generation, configuration };
        await this.index.add({ ...target, first, chunks }, tx);
      });
      first = current;
    }
    return { generation, title, warnings, chunks: first };
  }

  /** From here on the new generation answers, with the file that it is from, and the document is done. @throws {ClaimLost} */
  async switchTo(document: ClaimedDocument, { generation, title, warnings, chunks }: Written): Promise<void> {
    await this.locked(document, {}, async (_language, tx) => {
      await this.documents.within(document.row.organizationId, tx).finish(document.row.id, document.claim, {
        ...switched(document.row),
        title,
        warnings: [...warnings],
        chunkCount: chunks,
        generation,
      });
    });
  }

  /** Removes what no longer answers; does nothing while somebody processes the document. */
  async clearDead(row: DocumentEntity): Promise<void> {
    const { organizationId, knowledgeBaseId, id } = row;
    await this.clearFiles(row);
    for (const exactly of await this.documents.deadGenerations(id)) {
      await this.index.removeChunks({ organizationId, knowledgeBaseId, documentId: id }, { exactly });
    }
  }

  /** May be done at any time, and more than once. */
  async clearFiles({ organizationId, knowledgeBaseId, id, unusedFiles }: DocumentEntity): Promise<void> {
    if (unusedFiles.length === 0) return;
    const space = knowledgeBaseSpace(organizationId, knowledgeBaseId);
    for (const name of unusedFiles) await this.blobs.remove(space, name);
    await this.documents.within(organizationId).forgetFiles(id, unusedFiles);
  }

  private locked(
    { row: { organizationId, knowledgeBaseId, id }, claim }: ClaimedDocument,
    progress: { current?: number; total?: number },
    work: (language: string | null, tx: Transaction) => Promise<void>,
  ): Promise<void> {
    return this.transactions.run(async (tx) => {
      const knowledgeBase = await this.index.lock(organizationId, knowledgeBaseId, tx);
      if (knowledgeBase === undefined || knowledgeBase.deleted) throw new ClaimLost();
      if (!(await this.documents.within(organizationId, tx).advance(id, claim, progress))) throw new ClaimLost();
      await work(knowledgeBase.language, tx);
    });
  }

  private async decideLanguage(
    { organizationId, knowledgeBaseId }: DocumentRow,
    text: string,
    tx: Transaction,
  ): Promise<string> {
    const language = detectLanguage(text);
    await this.knowledgeBases.within(organizationId, tx).update(knowledgeBaseId, { language });
    return language;
  }
}

/** By how far into the text they reach; exact for the last ones, after which only white space is left. */
function expectedChunks(chunks: number, text: string, reached: number): number {
  const whole = text.trimEnd().length;
  return reached >= whole ? chunks : Math.max(chunks + 1, Math.round((chunks * whole) / reached));
}

type DocumentRow = Pick<DocumentEntity, 'id' | 'organizationId' | 'knowledgeBaseId'>;
