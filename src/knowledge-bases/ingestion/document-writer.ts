import type { ExtractedDocument } from '@bellwether/extraction';
import { uuidv7 } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { BlobStore } from '../../files';
import { type Transaction, Transactions } from '../../infrastructure/database';
import { processed } from '../storage/document-files';
import { knowledgeBaseSpace } from '../storage/document-scope.repository';
import type { DocumentEntity } from '../storage/document.entity';
import { DocumentRepository } from '../storage/document.repository';
import { KnowledgeBaseRepository } from '../storage/knowledge-base.repository';
import type { IndexedChunk } from '../search/chunk.types';
import { NO_LANGUAGE, searchConfiguration } from '../search/searchable-text';
import { type LockedKnowledgeBase, SearchIndex } from '../search/search-index';
import { isIn, LanguageDetector, type TextLanguage } from '../../infrastructure/languages';

/** The document was deleted, replaced, cancelled or claimed by another worker. This worker must write nothing more. */
export class ClaimLost extends Error {}

export interface ClaimedDocument {
  readonly row: DocumentEntity;
  readonly claim: string;
}

export interface Content extends Pick<ExtractedDocument, 'text' | 'title' | 'pageCount' | 'pageLabels'> {
  /** Parts of the document that the text lacks. */
  readonly warnings: readonly string[];
  /** Chunks in order. Lazy: all chunks of a long document would fill the memory. */
  readonly batches: AsyncIterable<readonly IndexedChunk[]>;
}

/** A complete set of chunks that is not searched yet. */
export interface Written extends Pick<Content, 'title' | 'pageCount' | 'pageLabels' | 'warnings'> {
  readonly generation: string;
  readonly chunks: number;
  readonly language: string;
}

/**
 * Writes the chunks of a claimed document beside the current ones, then switches over. Each step is a short transaction under
 * the lock of the knowledge base that checks the claim first, so two workers never both write.
 */
@Injectable()
export class DocumentWriter {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly index: SearchIndex,
    private readonly blobs: BlobStore,
    private readonly transactions: Transactions,
    private readonly detector: LanguageDetector,
  ) {}

  /** @throws {ClaimLost} */
  async write(document: ClaimedDocument, content: Content, signal: AbortSignal): Promise<Written> {
    const { text, title, pageCount, pageLabels, warnings, batches } = content;
    const generation = uuidv7();
    const { organizationId, knowledgeBaseId, id: documentId } = document.row;
    const detected = await this.detector.detectMost(text);
    let language = NO_LANGUAGE as string;
    let first = 0;
    for await (const chunks of batches) {
      signal.throwIfAborted();
      const current = first + chunks.length;
      const total = expectedChunks(current, text, chunks.at(-1)?.end ?? 0);
      await this.locked(document, { current, total }, async (knowledgeBase, tx) => {
        if (first === 0) language = await this.decideLanguage(document.row, knowledgeBase, detected, tx);
        const configuration = searchConfiguration(language);
        const target = { organizationId, knowledgeBaseId, documentId, generation, configuration };
        await this.index.add({ ...target, first, chunks }, tx);
      });
      first = current;
    }
    return { generation, title, pageCount, pageLabels, warnings, chunks: first, language };
  }

  /** Makes the generation and its file current, and ends the claim. @throws {ClaimLost} */
  async switchTo(document: ClaimedDocument, written: Written): Promise<void> {
    const { generation, title, pageCount, pageLabels, warnings, chunks, language } = written;
    const { organizationId, knowledgeBaseId, language: before } = document.row;
    await this.locked(document, {}, async (_, tx) => {
      await this.documents.within(organizationId, tx).finish(document.row.id, document.claim, {
        ...processed(document.row),
        title,
        pageCount,
        pageLabels: pageLabels.length === 0 ? null : [...pageLabels],
        warnings: [...warnings],
        chunkCount: chunks,
        generation,
        language,
      });
      if (before !== null && before !== language)
        await this.knowledgeBases.within(organizationId, tx).dropUnusedLanguages(knowledgeBaseId);
    });
  }

  /** Removes replaced chunks and files. Chunks stay while a worker has a claim. */
  async clearDead(row: DocumentEntity): Promise<void> {
    const { organizationId, knowledgeBaseId, id } = row;
    await this.clearFiles(row);
    for (const generation of await this.documents.deadGenerations(id)) {
      await this.index.removeChunks({ organizationId, knowledgeBaseId, documentId: id }, generation);
    }
  }

  async clearFiles({ organizationId, knowledgeBaseId, id, unusedFiles }: DocumentEntity): Promise<void> {
    if (unusedFiles.length === 0) return;
    await this.blobs.removeAll(knowledgeBaseSpace(organizationId, knowledgeBaseId), unusedFiles);
    await this.documents.within(organizationId).forgetFiles(id, unusedFiles);
  }

  private locked(
    { row: { organizationId, knowledgeBaseId, id }, claim }: ClaimedDocument,
    progress: { current?: number; total?: number },
    work: (knowledgeBase: LockedKnowledgeBase, tx: Transaction) => Promise<void>,
  ): Promise<void> {
    return this.transactions.run(async (tx) => {
      const knowledgeBase = await this.index.lock(organizationId, knowledgeBaseId, tx);
      if (knowledgeBase === undefined || knowledgeBase.deleted) throw new ClaimLost();
      if (!(await this.documents.within(organizationId, tx).advance(id, claim, progress))) throw new ClaimLost();
      await work(knowledgeBase, tx);
    });
  }

  /** A text that is too short to tell has the language of the knowledge base. */
  private async decideLanguage(
    { organizationId, knowledgeBaseId }: DocumentRow,
    { language: main, chosen }: LockedKnowledgeBase,
    detected: TextLanguage | null,
    tx: Transaction,
  ): Promise<string> {
    const scope = this.knowledgeBases.within(organizationId, tx);
    if (chosen) return main ?? NO_LANGUAGE;
    const isMain = detected === null || (main !== null && isIn(detected, [main]));
    const language = isMain ? (main ?? NO_LANGUAGE) : detected.language;
    if (main === null && detected !== null) await scope.update(knowledgeBaseId, { language });
    await scope.addLanguage(knowledgeBaseId, language);
    return language;
  }
}

/** Estimated from the share of the text that is cut already. Exact at the end of the text. */
function expectedChunks(chunks: number, text: string, reached: number): number {
  const whole = text.trimEnd().length;
  return reached >= whole ? chunks : Math.max(chunks + 1, Math.round((chunks * whole) / reached));
}

type DocumentRow = Pick<DocumentEntity, 'id' | 'organizationId' | 'knowledgeBaseId'>;
