import { Injectable } from '@nestjs/common';
import { BlobStore } from '../../files';
import type { RunningJob } from '../../infrastructure/jobs';
import { SearchIndex } from '../search/search-index';
import { allFiles } from '../storage/document-files';
import { knowledgeBaseSpace } from '../storage/document-space';
import type { DocumentEntity } from '../storage/document.entity';
import { DocumentRepository } from '../storage/document.repository';
import { KnowledgeBaseRepository } from '../storage/knowledge-base.repository';
import type { RowRef } from '../storage/row-queue';
import { IngestionRequests } from './ingestion-requests';

/** Removes deleted documents: first the chunks in short transactions, then the files, then the row. */
@Injectable()
export class DocumentPurge {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly index: SearchIndex,
    private readonly blobs: BlobStore,
    private readonly requests: IngestionRequests,
  ) {
    requests.onPurge((job) => this.run(job));
  }

  /** The document, or its knowledge base, must be marked as deleted: no worker may write to it. */
  async purge(row: DocumentEntity): Promise<void> {
    const { organizationId, knowledgeBaseId, id } = row;
    await this.index.removeChunks({ organizationId, knowledgeBaseId, documentId: id }, null);
    await this.blobs.removeAll(knowledgeBaseSpace(organizationId, knowledgeBaseId), allFiles(row));
    await this.documents.within(organizationId).remove(id);
    await this.knowledgeBases.within(organizationId).dropUnusedLanguages(knowledgeBaseId);
  }

  private async run({ data: { organizationId, id } }: RunningJob<RowRef>): Promise<void> {
    const row = await this.documents.within(organizationId).find(id);
    if (row !== null && row.deletedAt !== null) await this.purge(row);
    this.requests.notify();
  }
}
