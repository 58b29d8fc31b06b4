import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type BlobSpace, BlobStore } from '../../files';
import { AppError, uuidv7 } from '../../kernel';
import { type Transaction, Transactions } from '../../platform/database';
import type { DocumentEntity } from '../documents/document.entity';
import { DocumentRepository } from '../documents/document.repository';
import { type DocumentText, readDocument, UnreadableDocument } from './document-text';
import { KnowledgeBaseRepository } from '../knowledge-base.repository';
import { detectLanguage, searchConfiguration } from '../search/language';
import { INDEX_BATCH, type Removal } from '../search/search-index.repository';
import { SearchIndex } from '../search/search-index';

/** A worker that has not finished after this long is taken for dead. */
const STALE_AFTER_MS = 10 * 60_000;
const READ_MAX_BYTES = 16 * 1024 * 1024;
const BROKEN = 'The document could not be processed; try again';

export const knowledgeBaseSpace = (organizationId: string, knowledgeBaseId: string): BlobSpace => [
  'knowledge-bases',
  organizationId,
  knowledgeBaseId,
];

interface Job {
  readonly organizationId: string;
  readonly id: string;
}

const staleBefore = (): Date => new Date(Date.now() - STALE_AFTER_MS);

/**
 * Turns stored documents into searchable chunks, one after another. A document waits in its row (`pending`), so nothing is
 * lost with the process: what was left over is taken up at the next start. Old chunks answer until the new ones replace them.
 */
@Injectable()
export class IngestionService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(IngestionService.name);
  private tail: Promise<void> = Promise.resolve();
  private stopping = false;

  constructor(
    private readonly documents: DocumentRepository,
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly index: SearchIndex,
    private readonly blobs: BlobStore,
    private readonly transactions: Transactions,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const job of await this.documents.unfinished(staleBefore())) void this.enqueue(job);
  }

  /** Finishes the document in hand; the rest stays `pending` for the next start. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await this.tail;
  }

  /** Resolves when the document has been dealt with, well or badly. Never rejects. */
  enqueue(job: Job): Promise<void> {
    this.tail = this.tail.then(() => (this.stopping ? undefined : this.attempt(job)));
    return this.tail;
  }

  private async attempt({ organizationId, id }: Job): Promise<void> {
    try {
      const document = await this.documents.within(organizationId).claim(id, staleBefore());
      if (document !== null) await this.process(document);
    } catch (error) {
      this.report(id, error);
    }
  }

  private async process(document: DocumentEntity): Promise<void> {
    const failed = (error: string): Promise<boolean> =>
      this.documents.within(document.organizationId).finish(document.id, document.sha256, { status: 'failed', error });
    try {
      const content = await this.read(document);
      if (content !== null) await this.store(document, content);
    } catch (error) {
      if (error instanceof UnreadableDocument) {
        await failed(error.message);
      } else if (error instanceof AppError && error.code === 'not_found') {
        await failed('The uploaded file is missing; upload it again');
      } else {
        this.report(document.id, error);
        await failed(BROKEN);
      }
    }
  }

  /** Null when the knowledge base is gone. */
  private async read(document: DocumentEntity): Promise<DocumentText | null> {
    const { organizationId, knowledgeBaseId } = document;
    const knowledgeBase = await this.knowledgeBases.within(organizationId).find(knowledgeBaseId);
    if (knowledgeBase === null) return null;
    const space = knowledgeBaseSpace(organizationId, knowledgeBaseId);
    const bytes = await this.blobs.read(space, document.storageName, READ_MAX_BYTES);
    return readDocument(bytes, document.filename, {
      size: knowledgeBase.chunkSize,
      overlap: knowledgeBase.chunkOverlap,
    });
  }

  /** Adds the chunks beside the old ones, switches over, then clears the old ones away, in transactions of one batch each. */
  private async store(document: DocumentEntity, content: DocumentText): Promise<void> {
    const generation = uuidv7();
    const target = { ...document, documentId: document.id };
    for (let first = 0; first < content.chunks.length; first += INDEX_BATCH) {
      const chunks = content.chunks.slice(first, first + INDEX_BATCH);
      const added = await this.locked(document, async (language, tx) => {
        const known = language ?? (await this.decideLanguage(document, content.text, tx));
        const configuration = searchConfiguration(known);
        await this.index.add({ ...target, generation, configuration, first, chunks }, tx);
      });
      if (!added) return this.clear(document, { exactly: generation });
    }
    const switched = await this.locked(document, async (_language, tx) => {
      await this.documents.within(document.organizationId, tx).update(document.id, {
        status: 'completed',
        error: null,
        title: content.title,
        chunkCount: content.chunks.length,
        generation,
      });
    });
    await this.clear(document, switched ? { before: generation } : { exactly: generation });
  }

  /** Runs under the knowledge base's lock; false when the document was deleted or replaced meanwhile: whoever did that has the last word. */
  private locked(
    { organizationId, knowledgeBaseId, id, sha256 }: DocumentEntity,
    work: (language: string | null, tx: Transaction) => Promise<void>,
  ): Promise<boolean> {
    return this.transactions.run(async (tx) => {
      const knowledgeBase = await this.index.lock(organizationId, knowledgeBaseId, tx);
      if (knowledgeBase === undefined || knowledgeBase.deleted) return false;
      const current = await this.documents.within(organizationId, tx).find(id);
      if (current?.sha256 !== sha256 || current.status !== 'processing') return false;
      await work(knowledgeBase.language, tx);
      return true;
    });
  }

  private async decideLanguage(
    { organizationId, knowledgeBaseId }: DocumentEntity,
    text: string,
    tx: Transaction,
  ): Promise<string> {
    const language = detectLanguage(text);
    await this.knowledgeBases.within(organizationId, tx).update(knowledgeBaseId, { language });
    return language;
  }

  private clear({ organizationId, knowledgeBaseId, id }: DocumentEntity, which: Removal): Promise<void> {
    return this.index.removeChunks({ organizationId, knowledgeBaseId, documentId: id }, which);
  }

  private report(documentId: string, error: unknown): void {
    this.log.error({ msg: 'a document could not be processed', document_id: documentId, err: error });
  }
}
