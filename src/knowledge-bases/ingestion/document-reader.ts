import { Inject, Injectable } from '@nestjs/common';
import { ExtractionError, Extractor } from '../../extraction';
import { BlobStore, readCurrent } from '../../files';
import { CONFIG, type Config } from '../../infrastructure/config';
import { fileToRead } from '../storage/document-files';
import type { DocumentEntity } from '../storage/document.entity';
import { knowledgeBaseSpace } from '../storage/document-space';
import { DocumentRepository } from '../storage/document.repository';
import { KnowledgeBaseRepository } from '../storage/knowledge-base.repository';
import { INDEX_BATCH } from '../search/index-statements';
import { chunkBatches } from './document-text';
import { ClaimLost, type Content } from './document-writer';

/** Reads a stored document and cuts it into chunks with the settings of its knowledge base. */
@Injectable()
export class DocumentReader {
  private readonly maxBytes: number;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly documents: DocumentRepository,
    private readonly blobs: BlobStore,
    private readonly extractor: Extractor,
  ) {
    this.maxBytes = config.extraction.maxBytes;
  }

  /** @throws {ExtractionError} when the document cannot be read, {ClaimLost} when its knowledge base is gone. */
  async read(row: DocumentEntity, signal: AbortSignal): Promise<Content> {
    const { organizationId, knowledgeBaseId, filename } = row;
    const { size } = fileToRead(row);
    const knowledgeBase = await this.knowledgeBases.within(organizationId).find(knowledgeBaseId);
    if (knowledgeBase === null || knowledgeBase.deletedAt !== null) throw new ClaimLost();
    if (size > this.maxBytes) {
      throw new ExtractionError('document.too_large', `The file is larger than ${this.maxBytes} bytes`);
    }
    const bytes = await readCurrent(row, {
      nameOf: (now) => fileToRead(now).storageName,
      again: () => this.documents.within(organizationId).find(row.id),
      read: (now) =>
        this.blobs.read(
          knowledgeBaseSpace(organizationId, knowledgeBaseId),
          fileToRead(now).storageName,
          this.maxBytes,
          signal,
        ),
    });
    // The upload stores only the beginning of a file that is too large.
    if (bytes.length < size) throw new ExtractionError('document.too_large', 'The file is too large to be uploaded');
    const chunking = { size: knowledgeBase.chunkSize, overlap: knowledgeBase.chunkOverlap };
    const { cuts, ...document } = await this.extractor.extract({ bytes, filename, chunking }, { signal });
    if (cuts === null) throw new Error('The parser returned no chunks');
    return { ...document, batches: chunkBatches({ ...document, cuts }, INDEX_BATCH) };
  }
}
